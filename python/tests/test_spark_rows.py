"""Rows as Spark caches them: packed bytes that hold the same rows."""

from __future__ import annotations

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from credence import _spark_rows  # noqa: E402


def lists(matrix):
    offsets = pa.array(np.arange(len(matrix) + 1) * matrix.shape[1], pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1)))


def table_of(rows, width=10):
    numbers = np.arange(rows * width, dtype=np.float32).reshape(rows, width)
    ids = [None if i % 7 == 0 else f"row {i}" for i in range(rows)]
    return pa.table({"logits": lists(numbers), "id": pa.array(ids, pa.string())})


def packed(table, key, most=10_000):
    given = table.append_column(_spark_rows.KEY, key)
    return list(_spark_rows._pack(iter(given.to_batches(max_chunksize=most))))


def handed_over(records, together):
    """As Spark does: some records in a batch, the column alone."""
    values = pa.concat_arrays([record.column(0) for record in records])
    for first in range(0, len(values), together):
        yield pa.RecordBatch.from_arrays([values.slice(first, together)], ["packed"])


@pytest.mark.parametrize("rows", [0, 1, 4999, 25_000])
@pytest.mark.parametrize("together", [1, 3, 10_000])
def test_rows_come_back_as_they_were(rows, together):
    table = table_of(rows)
    records = packed(table, pa.array(np.arange(rows)))
    found = _spark_rows._unpacked(handed_over(records, together))
    if rows == 0:
        assert found.num_rows == 0
    else:
        assert found.equals(table)
    assert records[-1].to_pylist() == [{"packed": None, "rows": rows, "missing": 0, "repeated": ""}]


def test_ten_thousand_values_stay_below_the_two_gigabytes_that_a_batch_may_have():
    for width in (2, 10, 1000):
        records = packed(table_of(3000, width), pa.array(np.arange(3000)))
        largest = max(len(record.column(0)[0].as_py() or b"") for record in records)
        assert 10_000 * largest < 2**31


def test_numbers_lie_where_a_processor_can_read_them():
    records = packed(table_of(9000), pa.array(np.arange(9000)))
    found = _spark_rows._unpacked(handed_over(records, 10_000))
    for chunk in found.column("logits").chunks:
        for buffer in chunk.buffers():
            assert buffer is None or buffer.address % 8 == 0


def test_keys_that_do_not_order_the_rows_are_told():
    def told(keys, most=10_000):
        (record,) = packed(table_of(len(keys)), pa.array(keys), most)[-1].to_pylist()
        return record["missing"], record["repeated"]

    assert told([1, 2, 3]) == (0, "")
    assert told([None, None, 3]) == (2, "")
    assert told([1, 4, 4, 5]) == (0, "4")
    assert told([1, 4, 4, 5], most=2) == (0, "4")  # in two batches
