"""Runs the program as a user would, and its graphs in ONNX Runtime."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime

PROGRAM = os.environ["CREDENCE_PROGRAM"]
ROWS = 20_000
# The promise for float32 graphs: float32 itself resolves 6e-8 near 1.
TOLERANCE = 1e-6


def credence(*arguments, folder=None, fails=False):
    """Standard output; with fails=True standard error of a run that must fail."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if fails:
        if done.returncode not in (1, 2):
            raise AssertionError(f"exit code {done.returncode} instead of a refusal\n{done.stderr}")
        return done.stderr
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def session(model):
    """`model`: a path, or bytes."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    model = os.fspath(model) if isinstance(model, (str, os.PathLike)) else model
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run_model(path, inputs, output=None):
    """The named output (or the only one); `inputs` is an array for the only input, or a dictionary."""
    model = session(path)
    if not isinstance(inputs, dict):
        inputs = {model.get_inputs()[0].name: inputs}
    return model.run([output] if output else None, inputs)[0]


def largest_difference(a, b):
    return float(np.max(np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64))))


def softmax(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


class ExportTest(unittest.TestCase):
    """A folder per class, with scores, votes and calibrators fitted on first use."""

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.folder = pathlib.Path(cls._folder.name)
        cls._models = {}

    @classmethod
    def write_scores(cls, name, scores):
        np.save(cls.folder / name, scores)
        return name

    @classmethod
    def fit(cls, method, scores, votes, kind="logits", *options):
        key = (method, scores, kind, *options)
        if key not in cls._models:
            name = f"model{len(cls._models)}.json"
            credence("fit", "--method", method, f"--{kind}", scores, "--votes", votes, "-o", name,
                     *options, folder=cls.folder)
            cls._models[key] = name
        return cls._models[key]

    @classmethod
    def engine(cls, model, scores, kind="logits"):
        """What the engine makes of an array of scores, in float64."""
        np.save(cls.folder / "engine_in.npy", scores)
        credence("apply", model, f"--{kind}", "engine_in.npy", "-o", "engine_out.npy", "--dtype",
                 "float64", folder=cls.folder)
        return np.load(cls.folder / "engine_out.npy")

    @classmethod
    def export(cls, model, output, *options):
        return json.loads(credence("export", model, "-o", output, "--format", "json", *options,
                                   folder=cls.folder))

    def assert_agrees(self, given, engine, tolerance=TOLERANCE):
        self.assertEqual(given.shape, engine.shape)
        self.assertLessEqual(largest_difference(given, engine), tolerance)
        top = np.sort(engine, axis=-1)
        decided = top[..., -1] - top[..., -2] > tolerance
        same = given.argmax(axis=-1) == engine.argmax(axis=-1)
        self.assertTrue(np.all(same[decided]), "another class is on top")

    def check(self, path):
        onnx.checker.check_model(os.fspath(self.folder / path), full_check=True)
