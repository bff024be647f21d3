"""Parquet, Feather and Arrow files: the same bytes as from arrays, by every way in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from conftest import REPOSITORY, run

import credence

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

Fit = Callable[[str, str, Path], None]
SCRIPT = Path(sys.executable).parent / "credence"


def lists(values: Any, kind: Any) -> Any:
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return fixed.cast(pa.list_(kind))


def table(demo: dict[str, Any], rows: slice = slice(None)) -> Any:
    logits, votes = demo["logits"][rows], demo["votes"][rows].astype(np.int32)
    names = [f"row {i}" for i in range(len(demo["logits"]))][rows]
    return pa.table(
        {
            "id": names,
            "text": ["the same for all"] * len(logits),
            "logits": lists(logits, pa.float32()),
            "votes": lists(votes, pa.int32()),
        }
    )


@pytest.fixture()
def duckdb() -> dict[str, str]:
    """The environment in which the program finds DuckDB."""
    usual = REPOSITORY / "tests/duckdb/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so"
    named = os.environ.get("CREDENCE_DUCKDB", str(usual))
    if not Path(named).is_file():
        if os.environ.get("CREDENCE_REQUIRE_DUCKDB") == "1":
            pytest.fail(f"{named} is missing: 'scripts/setup duckdb' installs it")
        pytest.skip("DuckDB's library is not there: 'scripts/setup duckdb' installs it")
    return {"CREDENCE_DUCKDB": named}


def words(logits: str, votes: str, out: Path) -> list[object]:
    return ["fit", "-m", "slts", "--logits", logits, "--votes", votes, "-o", out]


@pytest.fixture(params=["python", "script", "program"])
def fit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Fit:
    if request.param == "python":
        return lambda logits, votes, out: credence.fit("slts", logits, votes, input="logits").save(
            out
        )
    if request.param == "script":
        return lambda logits, votes, out: void(run(SCRIPT, *words(logits, votes, out)))
    found = request.getfixturevalue("duckdb")
    program = request.getfixturevalue("program")
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    return lambda logits, votes, out: void(run(program, *words(logits, votes, out)))


def void(_: object) -> None:
    return None


@pytest.fixture()
def expected(demo: dict[str, Any]) -> str:
    return credence.fit("slts", demo["logits"], demo["votes"], input="logits").to_json()


@pytest.mark.parametrize("layout", ["file", "groups", "folder", "pattern", "partitions"])
def test_every_layout_gives_the_calibrator_of_the_arrays(
    layout: str, fit: Fit, demo: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    data = tmp_path / "data.parquet"
    if layout == "file":
        pq.write_table(table(demo), data)
    elif layout == "groups":
        pq.write_table(table(demo), data, row_group_size=37)
    else:
        for part, first in enumerate(range(0, 800, 100)):
            folder = data / (f"year={part}" if layout == "partitions" else "")
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(table(demo, slice(first, first + 100)), folder / f"part-{part}.parquet")
        (data / "_SUCCESS").touch()
    name = str(data / "*.parquet") if layout == "pattern" else str(data)
    out = tmp_path / "model.json"
    fit(f"{name}:logits", f"{name}:votes", out)
    assert out.read_text() == expected


@pytest.mark.parametrize("way", ["python", "script"])
@pytest.mark.parametrize("layout", ["feather", "arrow", "stream"])
def test_arrow_files_give_the_calibrator_of_the_arrays(
    layout: str, way: str, demo: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    data, out = tmp_path / f"data.{'feather' if layout == 'feather' else 'arrow'}", tmp_path / "m"
    if layout == "feather":
        feather.write_feather(table(demo), data, chunksize=100)
    else:
        make = pa.ipc.new_file if layout == "arrow" else pa.ipc.new_stream
        with make(str(data), table(demo).schema) as writer:
            writer.write_table(table(demo), max_chunksize=100)
    if way == "python":
        credence.fit("slts", f"{data}:logits", f"{data}:votes", input="logits").save(out)
    else:
        run(SCRIPT, *words(f"{data}:logits", f"{data}:votes", out))
    assert out.read_text() == expected


VOTES: dict[str, Callable[[Any], Any]] = {
    "labels": lambda rows: pa.array([[k for k, _ in row] for row in rows], pa.list_(pa.int8())),
    "names": lambda rows: pa.array([[f"c{k}" for k, _ in row] for row in rows]),
    "categories": lambda rows: pa.ListArray.from_arrays(
        pa.array(np.cumsum([0, *map(len, rows)]), pa.int32()),
        pa.array([f"c{k}" for row in rows for k, _ in row]).dictionary_encode(),
    ),
    "structures": lambda rows: pa.array(
        [[{"annotator": who, "label": f"c{k}"} for k, who in row] for row in rows]
    ),
    "map": lambda rows: pa.array(
        [[(f"c{k}", sum(j == k for j, _ in row)) for k in range(5)] for row in rows],
        pa.map_(pa.string(), pa.int16()),
    ),
}


@pytest.mark.parametrize("kind", VOTES)
def test_every_nested_form_of_votes_is_the_same_votes(
    kind: str, fit: Fit, demo: dict[str, Any], tmp_path: Path
) -> None:
    rows = [
        [(k, f"a{k}{i}") for k in range(5) for i in range(int(row[k]))] for row in demo["votes"]
    ]
    scores, votes, out = tmp_path / "s.parquet", tmp_path / "v.parquet", tmp_path / "m.json"
    # A column per class, which names the classes.
    names = [f"c{k}" for k in range(5)]
    pq.write_table(pa.table(dict(zip(names, demo["logits"].T))), scores)
    pq.write_table(pa.table({"labels": VOTES[kind](rows)}), votes)
    fit(str(scores), str(votes), out)
    wanted = credence.fit("slts", demo["logits"], demo["votes"], input="logits", classes=names)
    assert out.read_text() == wanted.to_json()


def test_long_tables_are_read_as_from_csv(fit: Fit, demo: dict[str, Any], tmp_path: Path) -> None:
    logits, votes, out = tmp_path / "l.parquet", tmp_path / "v.parquet", tmp_path / "m.json"
    pq.write_table(table(demo).select(["id", "logits"]), logits)
    where = [
        (i, k, j)
        for i, row in enumerate(demo["votes"])
        for k in range(5)
        for j in range(int(row[k]))
    ]
    long = {
        "example_id": [f"row {i}" for i, _, _ in where],
        "annotator": [f"a{k}-{j}" for _, k, j in where],
        "label": pa.array([k for _, k, _ in where], pa.int8()),
        "answered": pa.array([0] * len(where), pa.timestamp("us")),
    }
    pq.write_table(pa.table(long), votes)
    fit(str(logits), str(votes), out)
    by_id = credence.fit(
        "slts",
        demo["logits"],
        demo["votes"],
        input="logits",
        ids=[f"row {i}" for i in range(800)],
        vote_ids=[f"row {i}" for i in range(800)],
    )
    assert out.read_text() == by_id.to_json()


def test_the_data_may_be_read_in_passes(
    program: Path,
    duckdb: dict[str, str],
    demo: dict[str, Any],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data, out = tmp_path / "data.parquet", tmp_path / "model.json"
    many = pa.concat_tables([table(demo).drop_columns(["id"])] * 40)  # about 2 MB in memory
    pq.write_table(many, data, row_group_size=1000)
    whole = credence.fit("slts", f"{data}:logits", f"{data}:votes", input="logits").to_json()
    monkeypatch.setenv("CREDENCE_DUCKDB", duckdb["CREDENCE_DUCKDB"])
    for one in (SCRIPT, program):
        run(one, *words(f"{data}:logits", f"{data}:votes", out), "--memory", "1M")
        assert out.read_text() == whole


def broken(demo: dict[str, Any], kind: str, folder: Path) -> None:
    folder.mkdir()
    for part, first in enumerate(range(0, 800, 100)):
        rows = table(demo, slice(first, first + 100))
        file = folder / f"part-{part}.parquet"
        if part == 6:
            logits = rows["logits"].to_pylist()
            if kind == "null row":
                logits[17] = None
            elif kind == "null item":
                logits[17][2] = None
            elif kind == "ragged":
                logits[17].pop()
            elif kind == "classes":
                logits = [row[:3] for row in logits]
            at = rows.column_names.index("logits")
            rows = rows.set_column(at, "logits", pa.array(logits, pa.list_(pa.float32())))
            if kind == "null votes":
                votes = rows["votes"].to_pylist()
                votes[17] = None
                at = rows.column_names.index("votes")
                rows = rows.set_column(at, "votes", pa.array(votes, pa.list_(pa.int32())))
            if kind == "column":
                rows = rows.drop_columns(["logits"])
        pq.write_table(rows, file, row_group_size=50, compression="none", use_dictionary=False)
        if part == 6 and kind == "bytes":
            about = pq.read_metadata(file).row_group(1)
            places = [about.column(c) for c in range(about.num_columns)]
            at = next(c.data_page_offset for c in places if c.path_in_schema.startswith("logits"))
            content = bytearray(file.read_bytes())
            content[at : at + 40] = b"\xff" * 40
            file.write_bytes(content)


WRONG = {
    "null row": "part-6.parquet: row 17: column 'logits' is null",
    "null item": "part-6.parquet: row 17: column 'logits' is null at item 2",
    "ragged": "part-6.parquet: row 17: column 'logits' lists 4 numbers; the first row has 5",
    "classes": "part-6.parquet: row 0: column 'logits' lists 3 numbers",
    "column": "part-6.parquet",
    "bytes": "part-6.parquet: row group 1",
    "null votes": "part-6.parquet: row 17: no votes",
}


def refused(who: Path, *arguments: object) -> str:
    """What the program says when it refuses: one error, no traceback."""
    done = subprocess.run(
        [str(who), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("error:") == 1
    return done.stderr


@pytest.fixture(params=["script", "program"])
def who(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The console script, and the program with DuckDB."""
    if request.param == "script":
        return SCRIPT
    found = request.getfixturevalue("duckdb")
    monkeypatch.setenv("CREDENCE_DUCKDB", found["CREDENCE_DUCKDB"])
    return Path(request.getfixturevalue("program"))


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_named_with_file_and_row_in_python(
    kind: str, demo: dict[str, Any], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    broken(demo, kind, data)
    with pytest.raises(credence.CredenceError) as raised:
        credence.fit("slts", f"{data}:logits", f"{data}:votes", input="logits")
    assert WRONG[kind] in raised.value.message


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_named_with_file_and_row(
    kind: str, who: Path, demo: dict[str, Any], tmp_path: Path
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    broken(demo, kind, data)
    names = ["--logits", f"{data}:logits", "--votes", f"{data}:votes"]
    verbs: list[list[object]] = [
        ["fit", "-m", "slts", *names, "-o", out],
        ["fit", "-m", "slts", *names, "-o", out, "--memory", "1M", "--checkpoint", tmp_path / "c"],
        ["evaluate", *names, "--memory", "1M"],
        ["compare", "-m", "ts", *names, "-o", out],
    ]
    for verb in verbs:
        assert WRONG[kind] in refused(who, *verb)
        assert list(tmp_path.iterdir()) == [data], "nothing is written"


def test_the_900th_file_is_named_among_a_thousand(
    who: Path, demo: dict[str, Any], tmp_path: Path
) -> None:
    data, out = tmp_path / "data", tmp_path / "model.json"
    data.mkdir()
    good = table(demo, slice(0, 4)).select(["logits", "votes"])
    bad = good.set_column(0, "logits", lists(demo["logits"][:4, :3].copy(), pa.float32()))
    for part in range(1000):
        pq.write_table(bad if part == 899 else good, data / f"part-{part:03}.parquet")
    told = refused(who, *words(f"{data}:logits", f"{data}:votes", out))
    assert "part-899.parquet: row 0: column 'logits' lists 3 numbers; the first row has 5" in told
    assert not out.exists()


@pytest.mark.parametrize("way", ["script", "program"])
def test_apply_writes_parquet_with_ids(
    way: str,
    request: pytest.FixtureRequest,
    demo: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    who = SCRIPT
    if way == "program":
        who = request.getfixturevalue("program")
        found = request.getfixturevalue("duckdb")
        monkeypatch.setenv("CREDENCE_DUCKDB", found["CREDENCE_DUCKDB"])
    data, model, out = tmp_path / "d.parquet", tmp_path / "m.json", tmp_path / "out.parquet"
    content = table(demo)
    strange = ['a "quoted", id', "", "two\nlines", *content["id"].to_pylist()[3:]]
    pq.write_table(content.set_column(0, "id", [strange]), data)
    calibrator = credence.fit(
        "slts", demo["logits"], demo["votes"], input="logits", classes=demo["classes"]
    )
    calibrator.save(model)
    for dtype in (np.float32, np.float64):
        run(
            who,
            "apply",
            model,
            "--logits",
            f"{data}:logits",
            "-o",
            out,
            "--dtype",
            np.dtype(dtype).name,
        )
        written = pq.read_table(out)
        assert written.column_names == ["id", *demo["classes"]]
        assert written["id"].to_pylist() == strange
        values = np.stack([written[name].to_numpy() for name in demo["classes"]], axis=1)
        assert values.dtype == dtype
        assert np.array_equal(values, calibrator.predict_proba(demo["logits"], dtype=dtype))
    again = credence.evaluate(
        str(out), demo["votes"], input="probs", vote_classes=demo["classes"], vote_ids=strange
    )
    assert (
        again["nll"]
        == credence.evaluate(
            calibrator.predict_proba(demo["logits"], dtype=np.float64), demo["votes"]
        )["nll"]
    )


def test_without_pyarrow_the_way_out_is_named(
    demo: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.parquet"
    pq.write_table(table(demo), data)
    monkeypatch.setattr(credence._tables.Tables, "can_read", lambda *_: False)
    monkeypatch.delenv("CREDENCE_DUCKDB", raising=False)
    with pytest.raises(credence.CredenceError, match=r"pip install credence\[parquet\]"):
        credence.fit("slts", f"{data}:logits", f"{data}:votes", input="logits")


def test_a_dataset_and_every_verb_take_such_files(demo: dict[str, Any], tmp_path: Path) -> None:
    data = tmp_path / "data.parquet"
    pq.write_table(table(demo), data)
    names = f"{data}:logits", f"{data}:votes"
    dataset = credence.Dataset(*names, input="logits")
    assert dataset.rows == 800
    model = credence.fit("slts", dataset)
    arrays = demo["logits"], demo["votes"]
    ids = {"ids": [f"row {i}" for i in range(800)], "vote_ids": [f"row {i}" for i in range(800)]}
    judged = [
        credence.evaluate(names[0], names[1], input="logits", calibrator=model),
        credence.evaluate(*arrays, input="logits", calibrator=model, **ids),
    ]
    assert {k: judged[0][k] for k in judged[0]} == {k: judged[1][k] for k in judged[1]}
    assert np.array_equal(
        model.predict_proba(names[0], dtype=np.float32), model.predict_proba(arrays[0])
    )
    ours = credence.compare(*names, input="logits", methods=["ts", "slts"], seeds=[1])
    theirs = credence.compare(*arrays, input="logits", methods=["ts", "slts"], seeds=[1], **ids)
    assert ours.recommended == theirs.recommended


def test_tables_of_other_programs_may_hold_lists(demo: dict[str, Any], expected: str) -> None:
    polars = pytest.importorskip("polars")
    ours = table(demo).drop_columns(["id"])
    for data in (ours, polars.from_arrow(ours)):
        scores, votes = data.select(["logits"]), data.select(["votes"])
        assert credence.fit("slts", scores, votes, input="logits").to_json() == expected
