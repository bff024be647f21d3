"""Writes the same generated votes in every layout that data sets and tools publish, and checks that
the program finds the same data in all of them. Knows the layouts, not the program: standard library
only.

    check_layouts.py PROGRAM
"""

from __future__ import annotations

import csv
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

PROGRAM = sys.argv[1]
EXAMPLES, ANNOTATORS = 40, 7
RATERS = [f"Ann{k}" for k in range(ANNOTATORS)]

# Answers of an example: annotator -> class index. Some do not answer; class 2 is rare.
Answers = list[dict[str, int]]


def make_answers(classes: int, seed: int) -> Answers:
    draw = random.Random(seed)
    answers: Answers = []
    for _ in range(EXAMPLES):
        who = draw.sample(RATERS, draw.randint(2, ANNOTATORS))
        weights = [draw.random() for _ in range(classes)]
        answers.append({w: draw.choices(range(classes), weights)[0] for w in who})
    return answers


def json_lines(path: Path, records: list[dict]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def table(path: Path, header: list[str], rows: list[list]) -> None:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([header, *rows])


def item(i: int) -> str:
    return f"item-{i}"


def shares(row: dict[str, int], keys: list[str]) -> dict[str, float]:
    return {key: sum(k == c for k in row.values()) / len(row) for c, key in enumerate(keys)}


def lewidi_2023(path: Path, answers: Answers, names: list[str]) -> None:
    items = {}
    for i, row in enumerate(answers):
        items[item(i)] = {
            "text": f"text, {i}",
            "annotation task": "hate speech detection",
            "number of annotations": len(row),
            "annotations": ",".join(names[k] for k in row.values()),
            "annotators": ",".join(row),
            "lang": "en",
            "hard_label": names[0],
            "soft_label": shares(row, names),
            "split": "train",
            "other_info": {},
        }
    path.write_text(json.dumps(items, indent=4))


def lewidi_2025(path: Path, answers: Answers, names: list[str]) -> None:
    keys = [f"{name}.0" if name.isdigit() else name for name in names]
    items = {}
    for i, row in enumerate(answers):
        items[item(i)] = {
            "annotation task": "irony detection",
            "text": {"post": "p", "reply": "r"},
            "number of annotators": len(row),
            "annotators": ",".join(row),
            "number of annotations": len(row),
            "annotations": {who: names[k] for who, k in row.items()},
            "soft_label": shares(row, keys),
            "split": "dev",
            "lang": "en",
        }
    path.write_text(json.dumps(items))


def dices(path: Path, answers: Answers, names: list[str]) -> None:
    header = ["rater_id", "rater_gender", "phase", "item_id", "context", "response"]
    header += ["degree_of_harm", "safety_gold", "Q2_harmful_content_overall", "Q_overall"]
    rows = [
        [who, "Woman", "Phase2", item(i), "a, b", "a\nreply", "Benign", "No", names[0], names[k]]
        for i, row in enumerate(answers)
        for who, k in row.items()
    ]
    table(path, header, rows)


def popquorn(path: Path, answers: Answers, names: list[str]) -> None:
    header = ["instance_id", "user_id", "text", "offensiveness", "gender", "race", "age"]
    rows = [
        [item(i), who, 'a "quoted" text', f"{names[k]}.0", "Man", "White", "35-39"]
        for i, row in enumerate(answers)
        for who, k in row.items()
    ]
    random.Random(1).shuffle(rows)
    table(path, header, rows)


def helpsteer3(path: Path, answers: Answers, names: list[str]) -> None:
    draw = random.Random(5)
    records = []
    for i, row in enumerate(answers):
        scores = [(k - 1) * draw.randint(1, 3) for k in row.values()]
        records.append(
            {
                "id": item(i),
                "domain": "general",
                "context": [{"role": "user", "content": "hi"}],
                "response1": "a",
                "response2": "b",
                "overall_preference": scores[0],
                "individual_preference": [{"score": s, "reasoning": "because"} for s in scores],
            }
        )
    json_lines(path, records)


def multipref(path: Path, answers: Answers, names: list[str]) -> None:
    words = [["A-is-clearly-better", "A-is-slightly-better"], ["Tie"]]
    words += [["B-is-slightly-better", "B-is-clearly-better"]]
    draw = random.Random(6)
    records = []
    for i, row in enumerate(answers):
        given = [{"evaluator": w, "overall_pref": draw.choice(words[k])} for w, k in row.items()]
        records.append(
            {
                "comparison_id": item(i),
                "prompt_id": "p",
                "normal_worker_annotations": given[:1],
                "expert_worker_annotations": given[1:],
            }
        )
    json_lines(path, records)


def argilla_1(path: Path, answers: Answers, names: list[str]) -> None:
    records = []
    for i, row in enumerate(answers):
        responses = [
            {"user_id": who, "values": {"label": {"value": names[k]}}, "status": "submitted"}
            for who, k in row.items()
        ]
        responses.append({"user_id": "x", "values": {"label": {"value": "?"}}, "status": "draft"})
        responses.append({"user_id": "y", "values": None, "status": "discarded"})
        records.append({"fields": {"text": "t"}, "responses": responses, "external_id": item(i)})
    path.write_text(json.dumps(records))


def argilla_2(path: Path, answers: Answers, names: list[str]) -> None:
    records = []
    for i, row in enumerate(answers):
        given = [{"value": names[k], "user_id": who} for who, k in row.items()]
        records.append({"id": item(i), "fields": {"text": "t"}, "responses": {"label": given}})
    path.write_text(json.dumps(records, indent=2))


def argilla_flat(path: Path, answers: Answers, names: list[str]) -> None:
    records = []
    for i, row in enumerate(answers):
        records.append(
            {
                "id": item(i),
                "status": "completed",
                "text": "t",
                "label.responses": [names[k] for k in row.values()] + [names[0]],
                "label.responses.users": [*row, "x"],
                "label.responses.status": ["submitted"] * len(row) + ["discarded"],
                "label.suggestion": names[0],
            }
        )
    json_lines(path, records)


def label_studio(path: Path, answers: Answers, names: list[str]) -> None:
    def annotation(who: str, label: str, cancelled: bool) -> dict:
        choice = {"from_name": "mood", "to_name": "text", "type": "choices"}
        choice["value"] = {"choices": [label]}
        return {"completed_by": {"email": who}, "result": [choice], "was_cancelled": cancelled}

    tasks = []
    for i, row in enumerate(answers):
        given = [annotation(who, names[k], False) for who, k in row.items()]
        given.append(annotation("x", names[0], True))
        tasks.append({"id": item(i), "annotations": given, "data": {"text": "t"}, "predictions": []})
    path.write_text(json.dumps(tasks, indent=2))


def prodigy(path: Path, answers: Answers, names: list[str]) -> None:
    options = [{"id": name, "text": name} for name in names]
    records = []
    for i, row in enumerate(answers):
        for who, k in row.items():
            base = {"text": "t", "meta": {"id": item(i)}, "_input_hash": i - 20, "options": options}
            base |= {"_annotator_id": f"db-{who}", "_session_id": f"db-{who}"}
            records.append(base | {"accept": [names[k]], "answer": "accept"})
        records.append(base | {"accept": [], "answer": "ignore", "_annotator_id": "x"})
    random.Random(2).shuffle(records)
    json_lines(path, records)


def datasets_lists(path: Path, answers: Answers, names: list[str]) -> None:
    records = [
        {"id": item(i), "text": "t", "labels": list(row.values()), "annotator_ids": list(row)}
        for i, row in enumerate(answers)
    ]
    json_lines(path, records)


def datasets_structures(path: Path, answers: Answers, names: list[str]) -> None:
    records = [
        {"id": item(i), "annotators": {"label": list(row.values()), "annotator_id": list(row)}}
        for i, row in enumerate(answers)
    ]
    json_lines(path, records)


def array(path: Path, answers: Answers, names: list[str]) -> None:
    values = [float(row.get(who, -1)) for row in answers for who in RATERS]
    values = [float("nan") if v < 0 and i % 2 else v for i, v in enumerate(values)]
    write_npy(path, values, f"({EXAMPLES}, {ANNOTATORS})")


def write_npy(path: Path, values: list[float], shape: str) -> None:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(values)}d", *values)
    )


def run(*arguments: str | Path) -> str:
    command = [PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def inspect(*arguments: str | Path) -> dict:
    return json.loads(run("inspect", *arguments, "--format", "json"))


YES_NO = ["No", "Unsure", "Yes"]
DIGITS, POINTS = ["0", "1", "2"], ["1", "2", "3"]
Writer = Callable[[Path, Answers, list[str]], None]
LAYOUTS: list[tuple[str, Writer, list[str], list[str]]] = [
    ("HS_train.json", lewidi_2023, DIGITS, []),
    ("MP_train.json", lewidi_2025, DIGITS, []),
    ("CSC_train.json", lewidi_2025, POINTS, ["--vote-classes", "1,2,3"]),
    ("NLI_train.json", lewidi_2025, YES_NO, []),
    ("dices.csv", dices, YES_NO, []),
    ("popquorn.csv", popquorn, POINTS, ["--vote-classes", "1,2,3"]),
    ("helpsteer3.jsonl", helpsteer3, ["response_1", "tie", "response_2"], []),
    ("multipref.jsonl", multipref, ["A", "tie", "B"], []),
    ("argilla_1.json", argilla_1, YES_NO, []),
    ("argilla_2.json", argilla_2, YES_NO, []),
    ("argilla_flat.jsonl", argilla_flat, YES_NO, []),
    ("label_studio.json", label_studio, YES_NO, []),
    ("prodigy.jsonl", prodigy, YES_NO, []),
    ("lists.jsonl", datasets_lists, DIGITS, []),
    ("structures.jsonl", datasets_structures, DIGITS, []),
    ("array.npy", array, DIGITS, []),
]


def say(same: bool, what: str) -> int:
    print(f"{'ok  ' if same else 'FAIL'} {what}")
    return 0 if same else 1


def check_layouts(folder: Path) -> int:
    answers = make_answers(3, 11)
    draw = random.Random(3)
    logits = [[draw.gauss(0, 2) for _ in range(3)] for _ in answers]
    failures = 0
    for name, write, names, more in LAYOUTS:
        scores, counts, path = folder / "scores.csv", folder / "counts.jsonl", folder / name
        table(scores, ["id", *names], [[item(i), *z] for i, z in enumerate(logits)])
        tally = [[sum(k == c for k in row.values()) for c in range(3)] for row in answers]
        json_lines(counts, [{"id": item(i), "votes": row} for i, row in enumerate(tally)])
        expected = inspect("--logits", scores, "--votes", counts, *more)
        write(path, answers, names)
        found = inspect("--logits", scores, "--votes", path, *more)
        annotators = None if write is helpsteer3 else ANNOTATORS
        same = found["fingerprint"] == expected["fingerprint"]
        same = same and found["votes"]["annotators"] == annotators
        failures += say(same, f"{name}: {found['votes']['form']}")
    return failures


def check_one_column(folder: Path) -> int:
    """One column of logits is the same data as two columns, the first of them 0, in every verb."""
    answers = make_answers(2, 12)
    draw = random.Random(4)
    logits = [draw.gauss(0, 2) for _ in answers]
    votes, two = folder / "votes.csv", folder / "two.csv"
    rows = [[sum(k == c for k in row.values()) for c in range(2)] for row in answers]
    table(votes, ["ham", "spam"], rows)
    table(two, ["ham", "spam"], [[0, z] for z in logits])
    one = [folder / name for name in ("one.csv", "flat.npy", "column.npy", "one.jsonl")]
    table(one[0], ["score"], [[z] for z in logits])
    write_npy(one[1], logits, f"({EXAMPLES},)")
    write_npy(one[2], logits, f"({EXAMPLES}, 1)")
    json_lines(one[3], [{"logit": z} for z in logits])

    def results(scores: Path) -> list[str]:
        given = ["--logits", scores, "--votes", votes]
        model = folder / "model.json"
        run("fit", "--method", "soft-platt", *given, "-o", model)
        return [
            inspect(*given)["fingerprint"],
            model.read_text(),
            run("apply", model, "--logits", scores, "-o", "-"),
            run("evaluate", model, *given, "--resamples", "50", "--format", "csv"),
            run("compare", *given, "--methods", "ts,slts", "--resamples", "50", "--format", "csv"),
        ]

    expected = results(two)
    return sum(say(results(path) == expected, f"one column: {path.name}") for path in one)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        failures = check_layouts(Path(name)) + check_one_column(Path(name))
    raise SystemExit(1 if failures else 0)


main()
