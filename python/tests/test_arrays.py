"""Plain arrays as users have them: the fast ways in give the numbers of the careful ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import credence

Array = npt.NDArray[np.generic]


def example(rows: int, classes: int, seed: int = 1) -> tuple[Array, Array, Array]:
    """Logits, counts of five votes per row, and majority labels."""
    rng = np.random.default_rng(seed)
    logits = 2.0 * rng.standard_normal((rows, classes)).astype(np.float32)
    logits[np.arange(rows), rng.integers(classes, size=rows)] += 4.0
    p = softmax(logits)
    counts = np.zeros((rows, classes), np.int64)
    for _ in range(5):
        drawn = (rng.random((rows, 1)) > p.cumsum(axis=1)).sum(axis=1)
        counts[np.arange(rows), np.minimum(drawn, classes - 1)] += 1
    return logits, counts, counts.argmax(axis=1)


def softmax(logits: Array) -> Array:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def plain_ece(p: Array, hit: Array, bins: int = 15) -> float:
    confidence = p.max(axis=1).astype(np.float64)
    place = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    return float(np.abs(np.bincount(place, confidence - hit, bins)).sum() / len(p))


@pytest.mark.parametrize("classes", [2, 3, 10, 31, 32, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ece_of_labels_is_the_definition(classes: int, dtype: type) -> None:
    logits, _, labels = example(3000, classes)
    p = softmax(logits.astype(np.float64)).astype(dtype)
    found = credence.ece(p, labels=labels, draws=0, bins=15)
    wanted = plain_ece(p, p.argmax(axis=1) == labels)
    assert found["ece_voted"] == pytest.approx(wanted, abs=1e-14)
    assert found["ece_expected"] == found["ece_voted"]
    assert "ece_true" not in found


@pytest.mark.parametrize("kind", ["probs", "logits", "log_probs"])
@pytest.mark.parametrize("draws", [0, 20])
def test_ece_is_that_of_evaluate(kind: str, draws: int) -> None:
    logits, counts, labels = example(5000, 10)
    p = softmax(logits)
    scores = {"probs": p, "logits": logits, "log_probs": np.log(p)}[kind]
    for votes, majority in ((counts, None), (None, labels)):
        full = credence.evaluate(
            scores, votes, labels=majority, input=kind, resamples=0, draws=max(draws, 1)
        )
        for threads in (1, 2, 5):
            found = credence.ece(
                scores, votes, labels=majority, input=kind, draws=draws, threads=threads
            )
            assert found["ece_voted"] == full["ece_voted"]
            if majority is None:
                assert found["ece_expected"] == full["ece_expected"]
                assert draws == 0 or found["ece_true"] == full["ece_true"]
        data = credence.Dataset(scores, votes, labels=majority, input=kind)
        assert credence.ece(data, draws=draws) == found


def test_ece_of_a_dataset_reads_its_probabilities_where_they_are() -> None:
    logits, counts, labels = example(3000, 40)
    p = softmax(logits).astype(np.float32)
    for votes, majority in ((counts, None), (None, labels)):
        data = credence.Dataset(p, votes, labels=majority, input="probs")
        wanted = credence.ece(p, votes, labels=majority, draws=10)
        assert credence.ece(data, draws=10) == wanted
        credence.fit("ts", data)  # takes their logarithms
        assert credence.ece(data, draws=10, threads=2) == wanted
        full = credence.evaluate(data, resamples=0, draws=10)
        assert wanted["ece_voted"] == full["ece_voted"]


def test_ece_after_a_temperature_is_that_of_its_probabilities() -> None:
    logits, counts, labels = example(4000, 7)
    model = credence.fit("slts", logits, counts, input="logits")
    found = credence.ece(logits, labels=labels, input="logits", calibrator=model, draws=0)
    p = model.predict_proba(logits, dtype=np.float64)
    assert found["ece_voted"] == pytest.approx(plain_ece(p, p.argmax(axis=1) == labels), abs=1e-14)


def test_ece_names_what_is_wrong() -> None:
    logits, counts, labels = example(500, 5)
    p = softmax(logits)
    bad = p.copy()
    bad[400, 2] = np.nan
    with pytest.raises(credence.CredenceError, match="row 400, column 2"):
        credence.ece(bad, labels=labels)
    bad = p.copy()
    bad[7] *= 1.01
    with pytest.raises(credence.CredenceError, match=r"row 7: probabilities sum to 1\.01"):
        credence.ece(bad, labels=labels)
    with pytest.raises(credence.CredenceError, match="row 499: label is 5"):
        credence.ece(p, labels=np.where(np.arange(500) == 499, 5, labels))
    with pytest.raises(credence.CredenceError, match="rows of labels"):
        credence.ece(p, labels=labels[:-1])
    with pytest.raises(credence.CredenceError, match="look permuted"):
        credence.ece(np.ascontiguousarray(p[:, [1, 0, 2, 3, 4]]), counts)
    negative = counts.copy()
    negative[3, 1] = -2
    with pytest.raises(credence.CredenceError, match="row 3, column 1: vote count is -2"):
        credence.ece(p, negative)
    logits[9, 1] = np.inf
    with pytest.raises(credence.CredenceError, match="row 9, column 1"):
        credence.ece(logits, labels=labels, input="logits")


@pytest.mark.parametrize(
    "dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "f2"]
)
def test_counts_of_any_type_are_the_same_votes(dtype: str) -> None:
    for classes in (3, 40):
        logits, counts, _ = example(600, classes)
        wanted = credence.Dataset(logits, counts.astype("f8").tolist(), input="logits")
        given = counts.astype(dtype)
        assert credence.Dataset(logits, given, input="logits").fingerprint == wanted.fingerprint
        across = np.asfortranarray(given)
        assert credence.Dataset(logits, across, input="logits").fingerprint == wanted.fingerprint


def test_probabilities_with_zeros_are_those_of_single_rows() -> None:
    logits, counts, _ = example(300, 12)
    p = softmax(30.0 * logits)
    assert (p == 0.0).any()
    for dtype in (np.float32, np.float64):
        given = p.astype(dtype)
        whole = credence.Dataset(given, counts, input="probs").fingerprint
        # A list is read number by number.
        assert credence.Dataset(given.tolist(), counts, input="probs").fingerprint == whole


def test_a_dataset_of_probabilities_fits_as_they_do() -> None:
    logits, counts, _ = example(700, 6)
    p = softmax(logits).astype(np.float32)
    data = credence.Dataset(p, counts, input="probs")
    # Scored before their logarithms are wanted, fitted after.
    assert credence.ece(data, draws=0) == credence.ece(p, counts, draws=0)
    for method in ("slts", "ir-soft", "auto-simple"):
        kept, direct = credence.fit(method, data), credence.fit(method, p, counts, input="probs")
        assert kept.to_json() == direct.to_json()
    assert data.fingerprint == credence.Dataset(p.tolist(), counts, input="probs").fingerprint
    p[5, 2] = 1.25
    with pytest.raises(credence.CredenceError, match="row 5, column 2: probability is 1.25"):
        credence.Dataset(p, counts, input="probs")


def test_steps_ignore_what_is_added_to_a_row() -> None:
    rng = np.random.default_rng(5)
    logits = (rng.integers(-300, 300, (900, 7)) / 64).astype(np.float32)
    counts = rng.multinomial(4, np.full(7, 1 / 7), 900)
    shifted = logits + rng.integers(-8, 8, (900, 1)).astype(np.float32)  # exact in float32
    for method in ("ir-soft", "hist-bin"):
        fitted = [credence.fit(method, z, counts, input="logits") for z in (logits, shifted)]
        assert fitted[0].report_["stages"] == fitted[1].report_["stages"]
        assert (fitted[0].predict_proba(logits) == fitted[1].predict_proba(shifted)).all()


def test_a_dataset_of_probabilities_scores_them_as_they_were_given() -> None:
    logits, counts, _ = example(800, 4)
    p = softmax(logits.astype(np.float64))
    data = credence.Dataset(p, counts, input="probs")
    direct = credence.evaluate(p, counts, resamples=0)
    kept = credence.evaluate(data, resamples=0)
    assert dict(kept) == dict(direct)
    assert credence.ece(data)["ece_true"] == direct["ece_true"]


def test_float32_probabilities_are_the_double_ones_rounded() -> None:
    for classes in (2, 10, 33, 200):
        logits, counts, _ = example(700, classes)
        for method in ("slts", "soft-platt"):
            model = credence.fit(method, logits, counts, input="logits")
            exact = model.predict_proba(logits, dtype=np.float64)
            for threads in (1, 3):
                rounded = model.predict_proba(logits, threads=threads)
                assert rounded.dtype == np.float32
                assert np.array_equal(rounded, exact.astype(np.float32))


def test_float64_logits_are_those_rounded_to_float32() -> None:
    logits, counts, _ = example(400, 6)
    noisy = logits.astype(np.float64) * (1 + 1e-12)
    one = credence.Dataset(noisy, counts, input="logits")
    other = credence.Dataset(noisy.astype("f4"), counts, input="logits")
    assert one.fingerprint == other.fingerprint
    noisy[12, 3] = 1e300
    with pytest.raises(credence.CredenceError, match="row 12, column 3"):
        credence.Dataset(noisy, counts, input="logits")


@pytest.mark.parametrize("passes", [1, 2])
def test_a_temperature_keeps_to_the_passes_allowed(passes: int) -> None:
    logits, counts, _ = example(300, 5)
    model = credence.fit("slts", 4 * logits, counts, input="logits", max_passes=passes)
    stage = model.report_["stages"][0]
    assert stage["passes"] == passes
    assert stage["stop"] == "iteration limit"
