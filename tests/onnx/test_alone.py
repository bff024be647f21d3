"""A calibrator alone gives what the engine gives, for every method, on 20,000 rows."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import numpy as np
import onnx

import support
from support import credence, run_model

REAL = os.environ.get("CREDENCE_REAL_DATA")
METHODS = [m["id"] for m in json.loads(credence("methods", "--format", "json"))["methods"]]
AUTOMATIC = [m["id"] for m in json.loads(credence("methods", "--format", "json"))["automatic"]]
TWO_STAGES = ["dirichlet-soft then ts", "ir-soft then slts", "hist-bin then soft-platt"]


class EveryMethod(support.ExportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if REAL:
            sets = [pathlib.Path(REAL) / "data" / name for name in ("cifar10h-vgg16", "cifar10h-lenet5")]
            logits = [np.load(path / "logits.npy").astype(np.float32) for path in sets]
            cls.votes = str(sets[1] / "counts.npy")
            cls.write_scores("fit.npy", logits[1])
            cls.scores = np.concatenate(logits)[: support.ROWS]
        else:
            credence("demo", "--rows", support.ROWS, "-o", ".", folder=cls.folder)
            cls.votes = "votes.csv"
            cls.scores = np.load(cls.folder / "logits.npy").astype(np.float32)
            cls.write_scores("fit.npy", cls.scores)
        assert len(cls.scores) == support.ROWS, f"{len(cls.scores)} rows"

    def compare(self, model, kind, scores, *options):
        written = self.export(model, "calibrator.onnx", *options)
        self.check("calibrator.onnx")
        given = run_model(self.folder / "calibrator.onnx", scores)
        self.assertEqual(given.dtype, np.float32)
        self.assert_agrees(given, self.engine(model, scores, kind))
        return written

    def test_every_method_agrees_with_the_engine_at_three_opsets(self):
        for method in METHODS + AUTOMATIC + TWO_STAGES:
            model = self.fit(method, "fit.npy", self.votes)
            for opset in (11, 17, 21):
                with self.subTest(method=method, opset=opset):
                    self.compare(model, "logits", self.scores, "--opset", opset)

    def test_every_map_agrees_on_probabilities(self):
        probabilities = support.softmax(self.scores.astype(np.float64)).astype(np.float32)
        probabilities[::7, 0] = 0  # impossible classes, as a float16 softmax gives them
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        rows = np.load(self.folder / "fit.npy")
        self.write_scores("probs.npy", support.softmax(rows.astype(np.float64)).astype(np.float32))
        for method in ("slts", "vs", "soft-platt", "dirichlet-soft", "ats", "ir-soft", "hist-bin"):
            with self.subTest(method=method):
                model = self.fit(method, "probs.npy", self.votes, "probs")
                self.compare(model, "probs", probabilities)

    def test_every_map_agrees_in_the_raw_gauge_and_where_a_class_is_impossible(self):
        scores = self.scores.copy()
        scores[::5, 1] = -np.inf
        for method in ("slts", "vs", "soft-platt", "dirichlet-soft", "ats", "ir-soft", "hist-bin"):
            for gauge in ("raw", "log-probs"):
                with self.subTest(method=method, gauge=gauge):
                    model = self.fit(method, "fit.npy", self.votes, "logits", "--gauge", gauge)
                    self.compare(model, "logits", scores)

    def test_large_logits_and_a_small_temperature_lose_nothing(self):
        scores = (self.scores[:2000] * 20 + 500).astype(np.float32)
        model = self.fit("slts", "fit.npy", self.votes)
        text = json.loads((self.folder / model).read_text())
        text["stages"][0]["parameters"] = {"inverse_temperature": 60.0}
        (self.folder / "cold.json").write_text(json.dumps(text))
        for model in (model, "cold.json", self.fit("dirichlet-soft", "fit.npy", self.votes)):
            with self.subTest(model=model):
                self.compare(model, "logits", scores)

    def test_an_isotonic_map_of_many_steps_is_searched(self):
        model = self.fit("ir-soft", "fit.npy", self.votes)
        text = json.loads((self.folder / model).read_text())
        steps = 1000
        thresholds = np.sort(np.unique(np.float32(np.linspace(0.1, 1.0, steps - 1)))).astype(float)
        values = np.linspace(0.05, 0.95, len(thresholds) + 1)
        text["stages"][0]["parameters"] = {"thresholds": list(thresholds), "values": list(values)}
        (self.folder / "steps.json").write_text(json.dumps(text))
        self.compare("steps.json", "logits", self.scores)

    def test_ranks_precisions_and_results(self):
        scores = self.scores[:600]
        for method in ("slts", "dirichlet-soft", "ir-soft"):
            model = self.fit(method, "fit.npy", self.votes)
            engine = self.engine(model, scores)
            with self.subTest(method=method, rank=3):
                self.export(model, "three.onnx", "--rank", 3)
                self.check("three.onnx")
                given = run_model(self.folder / "three.onnx", scores.reshape(20, 30, -1))
                self.assert_agrees(given.reshape(600, -1), engine)
            with self.subTest(method=method, precision="float64"):
                self.export(model, "double.onnx", "--precision", "float64")
                self.check("double.onnx")
                given = run_model(self.folder / "double.onnx", scores.astype(np.float64))
                # Both compute in float64; the engine's exponential is its own, good to 1e-13.
                self.assert_agrees(given, engine, 1e-9)
            with self.subTest(method=method, precision="float16"):
                self.export(model, "half.onnx", "--precision", "float16")
                self.check("half.onnx")
                half = scores.astype(np.float16)
                given = run_model(self.folder / "half.onnx", half)
                self.assertEqual(given.dtype, np.float16)
                # Half the spacing of float16 below 1.
                self.assert_agrees(given.astype(np.float64),
                                   self.engine(model, half.astype(np.float32)), 2.5e-4)
            with self.subTest(method=method, result="log-probs"):
                self.export(model, "log.onnx", "--result", "log-probs")
                self.check("log.onnx")
                given = run_model(self.folder / "log.onnx", scores)
                self.assert_agrees(np.exp(given.astype(np.float64)), engine)

    def test_forced_float32_arithmetic_has_no_float64_inside(self):
        for method in ("dirichlet-soft", "ats", "ir-soft"):
            with self.subTest(method=method):
                model = self.fit(method, "fit.npy", self.votes)
                self.export(model, "single.onnx", "--arithmetic", "float32")
                self.check("single.onnx")
                graph = onnx.load(self.folder / "single.onnx").graph
                self.assertNotIn(onnx.TensorProto.DOUBLE, [t.data_type for t in graph.initializer])
                given = run_model(self.folder / "single.onnx", self.scores)
                engine = self.engine(model, self.scores)
                self.assertLess(support.largest_difference(given.sum(axis=1), 1.0), 1e-5)
                # Which rows lie on the edge of a step depends on the data; a smooth map has none.
                if method != "ir-soft":
                    self.assertLess(support.largest_difference(given, engine), 1e-5)

    def test_properties_say_what_it_is(self):
        model = self.fit("slts", "fit.npy", self.votes)
        self.export(model, "calibrator.onnx")
        network = onnx.load(self.folder / "calibrator.onnx")
        properties = {p.key: p.value for p in network.metadata_props}
        text = json.loads((self.folder / model).read_text())
        self.assertEqual(properties["credence.method"], "slts")
        self.assertEqual(properties["credence.fingerprint"], text["fingerprint"])
        self.assertEqual(properties["credence.format_version"], str(text["version"]))
        if text["classes"]:
            self.assertEqual(json.loads(properties["credence.classes"]), text["classes"])
        self.assertEqual(network.opset_import[0].version, 13)

    def run_lines(self, lines, command, name):
        (self.folder / name).write_text(lines)
        done = subprocess.run([*command, name], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout)

    def test_the_printed_lines_verify_the_check_file(self):
        np.save(self.folder / "own.npy", self.scores[:200])
        for method in ("slts", "dirichlet-soft", "ir-soft", "hist-bin", "ats"):
            model = self.fit(method, "fit.npy", self.votes)
            for options in ([], ["--rank", 3], ["--precision", "float64"], ["--check-with", "own.npy"],
                            ["--precision", "float16"], ["--result", "log-probs"]):
                with self.subTest(method=method, options=options):
                    written = self.export(model, "calibrator.onnx", *options)
                    check = np.load(self.folder / "calibrator.check.npz")
                    self.assertEqual(check["scores"].size, 64 * self.scores.shape[1])
                    lines = written["python"]
                    space = {}
                    previous = os.getcwd()
                    os.chdir(self.folder)
                    try:
                        exec(lines.replace("print(", "result = ("), space)
                    finally:
                        os.chdir(previous)
                    self.assertLess(space["result"], 5e-4 if "float16" in options else 1e-6)

    def test_the_check_file_sees_another_calibrator(self):
        self.export(self.fit("slts", "fit.npy", self.votes), "calibrator.onnx")
        check = np.load(self.folder / "calibrator.check.npz")
        other = self.fit("fixed-ls", "fit.npy", self.votes)
        self.export(other, "other.onnx")
        given = run_model(self.folder / "other.onnx", check["scores"])
        self.assertGreater(support.largest_difference(given, check["probabilities"]), 1e-3)

    def test_the_printed_lines_verify_the_check_file_in_javascript(self):
        runtime = os.environ.get("CREDENCE_ONNX_NODE")
        if not runtime or not shutil.which("node"):
            self.skipTest("CREDENCE_ONNX_NODE names no folder with node_modules/onnxruntime-node")
        (self.folder / "node_modules").symlink_to(pathlib.Path(runtime) / "node_modules")
        for method in ("slts", "ir-soft"):
            for options in ([], ["--precision", "float16"], ["--precision", "float64"]):
                with self.subTest(method=method, options=options):
                    written = self.export(self.fit(method, "fit.npy", self.votes), "calibrator.onnx",
                                          *options)
                    difference = self.run_lines(written["javascript"], ["node"], "check.mjs")
                    self.assertLess(difference, 5e-4 if "float16" in options else 1e-6)

    def test_the_printed_python_lines_are_a_program(self):
        written = self.export(self.fit("slts", "fit.npy", self.votes), "calibrator.onnx")
        self.assertLess(self.run_lines(written["python"], [sys.executable], "check.py"), 1e-6)
        self.assertLessEqual(len(written["python"].splitlines()), 5)

    def test_the_script_beside_the_model_verifies_it_from_any_folder(self):
        written = self.export(self.fit("slts", "fit.npy", self.votes), "calibrator.onnx")
        script = self.folder / written["check_script"]
        done = subprocess.run([sys.executable, str(script)], cwd="/", capture_output=True, text=True,
                              check=True)
        self.assertLess(float(done.stdout), 1e-6)


if __name__ == "__main__":
    unittest.main()
