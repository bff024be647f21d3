"""A calibrated network is the network followed by the engine."""

import os
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import networks
import support
from support import credence, run_model

OPSETS = (11, 17, 21)
METHODS = ("slts", "dirichlet-soft", "ir-soft", "ats")
CLASSES = 5


def reference(path, array):
    """The only output, by the definitions of the operators: every tensor in its own type."""
    return ReferenceEvaluator(os.fspath(path)).run(None, {"input": array})[0]


class AppendTest(support.ExportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = np.random.default_rng(3)
        logits = rng.normal(size=(800, CLASSES)) * 3
        votes = np.array([rng.multinomial(10, p) for p in support.softmax(logits / 2)])
        header = ",".join(f"kind {c}" for c in "abcde")
        names = "\n".join([header, *(",".join(map(str, row)) for row in votes)]) + "\n"
        (cls.folder / "votes.csv").write_text(names)
        cls.write_scores("fit.npy", logits.astype(np.float32))
        cls.write_scores("fit_probs.npy", support.softmax(logits).astype(np.float32))
        cls.input = rng.normal(size=(300, 6)).astype(np.float32)
        cls.names = [f"kind {c}" for c in "abcde"]

    def model(self, method="slts", kind="logits", *options):
        return self.fit(method, "fit.npy" if kind == "logits" else "fit_probs.npy", "votes.csv", kind,
                        *options)

    def path(self, name):
        return self.folder / name

    def append(self, model, network, *options, output="calibrated.onnx"):
        before = self.path(network).read_bytes()
        written = self.export(model, output, "--append-to", network, *options)
        self.assertEqual(self.path(network).read_bytes(), before, "the network was changed")
        self.check(output)
        self.verify(written, output)
        return written

    def verify(self, written, output):
        """The printed lines, run where the command ran."""
        space, previous = {}, os.getcwd()
        os.chdir(self.folder)
        try:
            exec(written["python"].replace("print(", "result = ("), space)
        finally:
            os.chdir(previous)
        self.assertLess(space["result"], 5e-4 if written["scores"]["type"] == "float16" else 1e-6)

    def refused(self, model, network, *options):
        before = set(os.listdir(self.folder))
        message = credence("export", model, "--append-to", network, "-o", "refused.onnx", *options,
                           folder=self.folder, fails=True)
        self.assertEqual(set(os.listdir(self.folder)), before, "something was left behind")
        return message


class PyTorch(AppendTest):
    def test_every_map_at_three_opsets(self):
        for opset in OPSETS:
            networks.linear(self.path("net.onnx"), CLASSES, opset)
            logits = run_model(self.path("net.onnx"), self.input)
            for method in METHODS:
                for mode in ("replace", "add"):
                    with self.subTest(opset=opset, method=method, mode=mode):
                        model = self.model(method)
                        written = self.append(model, "net.onnx", "--mode", mode)
                        output = "logits" if mode == "replace" else "calibrated_probabilities"
                        self.assertEqual(written["result"]["name"], output)
                        given = run_model(self.path("calibrated.onnx"), self.input, output)
                        self.assert_agrees(given, self.engine(model, logits))
                        if mode == "add":
                            same = run_model(self.path("calibrated.onnx"), self.input, "logits")
                            self.assertEqual(support.largest_difference(same, logits), 0)

    def test_what_is_not_touched_stays(self):
        networks.linear(self.path("net.onnx"), CLASSES, 17, properties={"note": "mine"})
        self.append(self.model(), "net.onnx")
        before, after = onnx.load(self.path("net.onnx")), onnx.load(self.path("calibrated.onnx"))
        self.assertEqual(after.ir_version, before.ir_version)
        self.assertEqual(after.opset_import[0].version, 17)
        self.assertEqual(after.producer_name, "pytorch")
        self.assertEqual([o.name for o in after.graph.output], ["logits"])
        self.assertIn("mine", [p.value for p in after.metadata_props])

    def test_a_softmax_at_the_end_is_passed_by_when_fitted_to_logits(self):
        for opset in OPSETS:
            for softmax in ("Softmax", "LogSoftmax"):
                networks.linear(self.path("net.onnx"), CLASSES, opset)
                logits = run_model(self.path("net.onnx"), self.input)
                networks.linear(self.path("soft.onnx"), CLASSES, opset, softmax=softmax, output="probs")
                for method in METHODS:
                    with self.subTest(opset=opset, method=method, softmax=softmax):
                        model = self.model(method)
                        self.append(model, "soft.onnx")
                        given = run_model(self.path("calibrated.onnx"), self.input)
                        self.assert_agrees(given, self.engine(model, logits))

    def test_a_softmax_at_the_end_is_read_when_fitted_to_probabilities(self):
        networks.linear(self.path("soft.onnx"), CLASSES, 17, softmax="Softmax", output="probs")
        probabilities = run_model(self.path("soft.onnx"), self.input)
        for method in METHODS:
            with self.subTest(method=method):
                model = self.model(method, "probs")
                written = self.append(model, "soft.onnx")
                self.assertEqual(written["scores"]["kind"], "probs")
                given = run_model(self.path("calibrated.onnx"), self.input)
                self.assert_agrees(given, self.engine(model, probabilities, "probs"))

    def test_the_raw_gauge_reads_what_it_was_fitted_to(self):
        networks.linear(self.path("soft.onnx"), CLASSES, 17, softmax="LogSoftmax", output="probs")
        networks.linear(self.path("net.onnx"), CLASSES, 17)
        model = self.model("dirichlet-soft", "logits", "--gauge", "raw")
        self.append(model, "soft.onnx")
        logits = run_model(self.path("net.onnx"), self.input)
        self.assert_agrees(run_model(self.path("calibrated.onnx"), self.input),
                           self.engine(model, logits))
        self.assertIn("raw", self.refused(model, "soft.onnx", "--input-kind", "log-probs"))

    def test_float16(self):
        half = self.input.astype(np.float16)
        for opset in OPSETS:
            networks.linear(self.path("half.onnx"), CLASSES, opset, TensorProto.FLOAT16)
            logits = reference(self.path("half.onnx"), half)
            for method in METHODS:
                with self.subTest(opset=opset, method=method):
                    model = self.model(method)
                    self.append(model, "half.onnx")
                    engine = self.engine(model, logits.astype(np.float32))
                    given = reference(self.path("calibrated.onnx"), half)
                    self.assertEqual(given.dtype, np.float16)
                    # Half the spacing of float16 below 1.
                    self.assert_agrees(given.astype(np.float64), engine, 2.5e-4)
                    given = run_model(self.path("calibrated.onnx"), half)
                    self.assertEqual(given.dtype, np.float16)
                    # ONNX Runtime leaves out the rounding of the logits to float16 between network
                    # and calibrator, which is up to 0.008 below 32; on a step that is another one.
                    if method != "ir-soft":
                        self.assertLess(support.largest_difference(given, engine), 4e-3)

    def test_classes_on_the_second_axis(self):
        image = np.random.default_rng(4).normal(size=(2, 3, 6, 7)).astype(np.float32)
        for opset in OPSETS:
            networks.segmentation(self.path("net.onnx"), CLASSES, opset)
            logits = run_model(self.path("net.onnx"), image)
            rows = np.moveaxis(logits, 1, -1).reshape(-1, CLASSES)
            for method in METHODS:
                with self.subTest(opset=opset, method=method):
                    model = self.model(method)
                    self.append(model, "net.onnx")
                    given = run_model(self.path("calibrated.onnx"), image)
                    self.assertEqual(given.shape, logits.shape)
                    self.assert_agrees(np.moveaxis(given, 1, -1).reshape(-1, CLASSES),
                                       self.engine(model, rows))

    def test_a_softmax_over_the_second_axis(self):
        image = np.random.default_rng(4).normal(size=(2, 3, 4, 5)).astype(np.float32)
        networks.segmentation(self.path("net.onnx"), CLASSES, 17)
        networks.segmentation(self.path("soft.onnx"), CLASSES, 17, softmax=True)
        logits = run_model(self.path("net.onnx"), image)
        model = self.model("dirichlet-soft")
        self.append(model, "soft.onnx")
        given = run_model(self.path("calibrated.onnx"), image)
        self.assert_agrees(np.moveaxis(given, 1, -1).reshape(-1, CLASSES),
                           self.engine(model, np.moveaxis(logits, 1, -1).reshape(-1, CLASSES)))
        # Before opset 13 a Softmax over axis 1 runs over everything behind it as well.
        networks.segmentation(self.path("old.onnx"), CLASSES, 11, softmax=True)
        self.assertIn("axis 1 and all behind it", self.refused(model, "old.onnx"))

    def test_an_axis_of_another_size_is_never_that_of_the_classes(self):
        image = np.random.default_rng(4).normal(size=(2, 3, 6, 7)).astype(np.float32)
        networks.segmentation(self.path("net.onnx"), CLASSES, 17)
        network = onnx.load(self.path("net.onnx"))

        def shaped(name, *sizes):
            network.graph.output[0].CopyFrom(
                helper.make_tensor_value_info("output", TensorProto.FLOAT, list(sizes)))
            onnx.save(network, self.path(name))

        shaped("open.onnx", "batch", "classes", 6, 7)
        shaped("two.onnx", "batch", "classes", "h", 7)
        model = self.model("dirichlet-soft")
        self.append(model, "open.onnx", "--output-name", "output")
        self.assertIn("--class-axis", self.refused(model, "two.onnx", "--output-name", "output"))
        self.append(model, "two.onnx", "--output-name", "output", "--class-axis", "1")
        rows = np.moveaxis(run_model(self.path("net.onnx"), image), 1, -1).reshape(-1, CLASSES)
        given = run_model(self.path("calibrated.onnx"), image)
        self.assert_agrees(np.moveaxis(given, 1, -1).reshape(-1, CLASSES), self.engine(model, rows))

    def test_a_logarithm_at_the_end_gives_log_probabilities(self):
        networks.linear(self.path("soft.onnx"), CLASSES, 17, softmax="Softmax", output="probs")
        probabilities = run_model(self.path("soft.onnx"), self.input)
        network = onnx.load(self.path("soft.onnx"))
        network.graph.node.append(helper.make_node("Log", ["probs"], ["logs"]))
        network.graph.output[0].name = "logs"
        onnx.save(network, self.path("logs.onnx"))
        model = self.model("dirichlet-soft", "probs")
        self.assertEqual(self.append(model, "logs.onnx")["scores"]["kind"], "log_probs")
        self.assert_agrees(run_model(self.path("calibrated.onnx"), self.input),
                           self.engine(model, probabilities, "probs"))

    def test_no_result_replaces_another_or_what_is_read(self):
        (self.folder / "kept").mkdir()
        networks.linear(self.path("kept/net.onnx"), CLASSES, 17, save_as_external_data=True,
                        location="net.data", size_threshold=0)
        data = self.path("kept/net.data").read_bytes()
        model = self.model()
        for options in (["-o", "kept/out.onnx", "--card", "kept/net.data"],
                        ["-o", "kept/out.onnx", "--card", "kept/./out.onnx"],
                        ["-o", "kept/out.onnx", "--card", "kept/out.check.npz"]):
            with self.subTest(options=options):
                before = set(os.listdir(self.folder / "kept"))
                credence("export", model, "--append-to", "kept/net.onnx", *options,
                         folder=self.folder, fails=True)
                self.assertEqual(set(os.listdir(self.folder / "kept")), before)
                self.assertEqual(self.path("kept/net.data").read_bytes(), data)

    def test_external_data(self):
        (self.folder / "store").mkdir()
        networks.linear(self.path("store/net.onnx"), CLASSES, 17, save_as_external_data=True,
                        location="net.data", size_threshold=0)
        logits = run_model(self.path("store/net.onnx"), self.input)
        model = self.model("dirichlet-soft")
        engine = self.engine(model, logits)
        self.append(model, "store/net.onnx", output="store/calibrated.onnx")
        self.assert_agrees(run_model(self.path("store/calibrated.onnx"), self.input), engine)
        self.assertIn("--copy-data", self.refused(model, "store/net.onnx"))
        (self.folder / "elsewhere").mkdir()
        self.append(model, "store/net.onnx", "--copy-data", output="elsewhere/calibrated.onnx")
        self.assert_agrees(run_model(self.path("elsewhere/calibrated.onnx"), self.input), engine)
        data = self.path("store/net.data").read_bytes()
        message = credence("export", model, "--append-to", "store/net.onnx", "-o", "store/net.data",
                           folder=self.folder, fails=True)
        self.assertIn("would be replaced", message)
        self.assertEqual(self.path("store/net.data").read_bytes(), data)

    def test_data_outside_of_the_folder_are_refused(self):
        (self.folder / "inner").mkdir(exist_ok=True)
        networks.linear(self.path("inner/net.onnx"), CLASSES, 17, save_as_external_data=True,
                        location="w.data", size_threshold=0)
        for place in ("../secret", "/etc/hostname", "a/../../b"):
            network = onnx.load(self.path("inner/net.onnx"), load_external_data=False)
            for tensor in network.graph.initializer:
                for entry in tensor.external_data:
                    if entry.key == "location":
                        entry.value = place
            self.path("inner/evil.onnx").write_bytes(network.SerializeToString())
            self.assertIn("outside of its folder",
                          self.refused(self.model(), "inner/evil.onnx", "--copy-data"))

    def test_the_network_is_never_the_output(self):
        networks.linear(self.path("net.onnx"), CLASSES, 17)
        before = self.path("net.onnx").read_bytes()
        for name in ("link.onnx", "hard.onnx"):
            self.path(name).unlink(missing_ok=True)
        self.path("link.onnx").symlink_to("net.onnx")
        os.link(self.path("net.onnx"), self.path("hard.onnx"))
        for output in ("net.onnx", "./net.onnx", f"../{self.folder.name}/net.onnx", "link.onnx",
                       "hard.onnx", str(self.path("net.onnx"))):
            with self.subTest(output=output):
                message = credence("export", self.model(), "--append-to", "net.onnx", "-o", output,
                                   folder=self.folder, fails=True)
                self.assertIn("would be replaced", message)
                self.assertEqual(self.path("net.onnx").read_bytes(), before)

    def test_names_that_are_taken_and_inner_graphs(self):
        inner = helper.make_graph([helper.make_node("Identity", ["logits"], ["inner_out"])], "inner",
                                  [], [helper.make_tensor_value_info("inner_out", TensorProto.FLOAT,
                                                                     ["batch", CLASSES])])
        other = helper.make_graph([helper.make_node("Neg", ["logits"], ["other_out"])], "other", [],
                                  [helper.make_tensor_value_info("other_out", TensorProto.FLOAT,
                                                                 ["batch", CLASSES])])
        more = [helper.make_node("Constant", [], ["condition"], "credence/Softmax",
                                 value=helper.make_tensor("c", TensorProto.BOOL, [], [True])),
                helper.make_node("If", ["condition"], ["chosen"], "if", then_branch=inner,
                                 else_branch=other),
                helper.make_node("ArgMax", ["chosen"], ["label"], "credence/logits", axis=1, keepdims=0)]
        outputs = [helper.make_tensor_value_info("label", TensorProto.INT64, ["batch"])]
        networks.linear(self.path("net.onnx"), CLASSES, 17, more=more, more_outputs=outputs)
        logits = run_model(self.path("net.onnx"), self.input, "logits")
        for mode in ("replace", "add"):
            with self.subTest(mode=mode):
                model = self.model("dirichlet-soft")
                written = self.append(model, "net.onnx", "--mode", mode)
                given = run_model(self.path("calibrated.onnx"), self.input, written["result"]["name"])
                self.assert_agrees(given, self.engine(model, logits))
                label = run_model(self.path("calibrated.onnx"), self.input, "label")
                self.assertTrue(np.array_equal(label, logits.argmax(axis=1)))

    def test_several_outputs_need_a_name(self):
        more = [helper.make_node("Neg", ["logits"], ["other"], "neg")]
        outputs = [helper.make_tensor_value_info("other", TensorProto.FLOAT, ["batch", CLASSES])]
        networks.linear(self.path("two.onnx"), CLASSES, 17, more=more, more_outputs=outputs)
        model = self.model()
        self.assertIn("--output-name", self.refused(model, "two.onnx"))
        self.assertIn("has no output 'third'", self.refused(model, "two.onnx", "--output-name", "third"))
        self.append(model, "two.onnx", "--output-name", "logits")
        logits = run_model(self.path("two.onnx"), self.input, "logits")
        self.assert_agrees(run_model(self.path("calibrated.onnx"), self.input, "logits"),
                           self.engine(model, logits))
        self.assertEqual(support.largest_difference(
            run_model(self.path("calibrated.onnx"), self.input, "other"), -logits), 0)

    def test_another_number_of_classes_is_refused(self):
        networks.linear(self.path("seven.onnx"), 7, 17)
        self.assertIn("no output has an axis of 5 classes", self.refused(self.model(), "seven.onnx"))

    def test_contradicting_kinds_are_refused(self):
        networks.linear(self.path("net.onnx"), CLASSES, 17)
        self.assertIn("--input-kind logits", self.refused(self.model("slts", "probs"), "net.onnx"))
        networks.linear(self.path("soft.onnx"), CLASSES, 17, softmax="Softmax", output="probs")
        self.assertIn("does not give log_probs",
                      self.refused(self.model(), "soft.onnx", "--input-kind", "log-probs"))
        networks.linear(self.path("sigmoid.onnx"), CLASSES, 17, output="p", more=[], softmax=None)
        network = onnx.load(self.path("sigmoid.onnx"))
        network.graph.node[-1].output[0] = "z"
        network.graph.node.append(helper.make_node("Sigmoid", ["z"], ["p"]))
        onnx.save(network, self.path("sigmoid.onnx"))
        self.assertIn("do not sum to 1", self.refused(self.model(), "sigmoid.onnx"))
        network.graph.node[-1].output[0] = "q"
        network.graph.node.append(helper.make_node("Log", ["q"], ["p"]))
        onnx.save(network, self.path("sigmoid.onnx"))
        self.assertIn("do not sum to 1", self.refused(self.model(), "sigmoid.onnx"))

    def test_class_names_are_matched(self):
        model = self.fit("dirichlet-soft", "fit.npy", "votes.csv", "logits", "--score-classes",
                         ",".join(self.names))
        order = [3, 0, 4, 1, 2]
        shuffled = [self.names[k] for k in order]
        for properties in ({"names": str(dict(enumerate(shuffled)))},
                           {"classes": '["' + '", "'.join(shuffled) + '"]'},
                           {"class_names": ",".join(shuffled)},
                           {"labels": "\n".join(shuffled), "names": '["0", "1", "2", "3", "4"]'}):
            with self.subTest(properties=properties):
                networks.linear(self.path("net.onnx"), CLASSES, 17, properties=properties)
                self.append(model, "net.onnx")
                logits = run_model(self.path("net.onnx"), self.input)
                ordered = np.empty_like(logits)
                ordered[:, order] = logits
                engine = self.engine(model, ordered)
                self.assert_agrees(run_model(self.path("calibrated.onnx"), self.input),
                                   engine[:, order])
        networks.linear(self.path("net.onnx"), CLASSES, 17,
                        properties={"names": str(dict(enumerate("vwxyz")))})
        self.assertIn("different names", self.refused(model, "net.onnx"))
        networks.linear(self.path("net.onnx"), CLASSES, 17,
                        properties={"names": ",".join(shuffled), "labels": ",".join(self.names)})
        self.assertIn("name the classes differently", self.refused(model, "net.onnx"))
        # What cannot be compared is said.
        for properties, note in (({"names": "a,b"}, "not a list of 5 names"),
                                 ({"names": str(dict(enumerate("01234")))}, "taken to be the same")):
            networks.linear(self.path("net.onnx"), CLASSES, 17, properties=properties)
            written = self.append(model, "net.onnx")
            self.assertTrue(any(note in found for found in written["notes"]), written["notes"])

    def test_a_calibrated_network_is_not_calibrated_again(self):
        networks.linear(self.path("net.onnx"), CLASSES, 17)
        self.append(self.model(), "net.onnx")
        self.assertIn("calibrated already", self.refused(self.model(), "calibrated.onnx"))

    def test_a_fixed_batch_and_log_probabilities(self):
        networks.linear(self.path("one.onnx"), CLASSES, 17, batch=1)
        model = self.model("ir-soft")
        self.append(model, "one.onnx", "--result", "log-probs")
        logits = run_model(self.path("one.onnx"), self.input[:1])
        given = run_model(self.path("calibrated.onnx"), self.input[:1])
        self.assert_agrees(np.exp(given.astype(np.float64)), self.engine(model, logits))

    def test_fields_of_newer_schemas_survive(self):
        networks.linear(self.path("net.onnx"), CLASSES, 21)
        network = onnx.load(self.path("net.onnx"))
        entry = network.graph.node[0].metadata_props.add()
        entry.key, entry.value = "pkg.torch.onnx.stack_trace", "line 1"
        onnx.save(network, self.path("net.onnx"))
        self.append(self.model(), "net.onnx")
        after = onnx.load(self.path("calibrated.onnx"))
        self.assertEqual(after.graph.node[0].metadata_props[0].value, "line 1")

    def test_what_is_no_network_is_refused(self):
        self.path("text.onnx").write_text("not a network")
        self.assertIn("not an ONNX model", self.refused(self.model(), "text.onnx"))
        self.path("empty.onnx").write_bytes(b"")
        self.assertIn("not an ONNX model", self.refused(self.model(), "empty.onnx"))
        self.assertIn("missing.onnx", self.refused(self.model(), "missing.onnx"))


class ScikitLearn(AppendTest):
    def networks_of(self, classifier, opset, **options):
        from skl2onnx import to_onnx
        network = to_onnx(classifier, self.input[:1], target_opset={"": opset, "ai.onnx.ml": 3},
                          options={id(classifier): options})
        self.path("skl.onnx").write_bytes(network.SerializeToString())

    def classifier(self, names, kind):
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        rng = np.random.default_rng(5)
        labels = np.array(names)[rng.integers(0, CLASSES, 300)]
        made = LogisticRegression() if kind == "linear" else RandomForestClassifier(5, random_state=1)
        return made.fit(self.input, labels)

    def test_probabilities_with_and_without_dictionaries(self):
        names = np.array(self.names)
        for opset in (11, 17, 21):
            for kind in ("linear", "forest"):
                classifier = self.classifier(names, kind)
                model = self.fit("dirichlet-soft", "fit_probs.npy", "votes.csv", "probs",
                                 "--score-classes", ",".join(self.names))
                for zipmap in (True, False):
                    with self.subTest(opset=opset, kind=kind, zipmap=zipmap):
                        self.networks_of(classifier, opset, zipmap=zipmap)
                        name = "output_probability" if zipmap else "probabilities"
                        raw = run_model(self.path("skl.onnx"), self.input, name)
                        raw = self.table(raw) if zipmap else raw
                        self.append(model, "skl.onnx")
                        given = run_model(self.path("calibrated.onnx"), self.input, name)
                        given = self.table(given) if zipmap else given
                        self.assert_agrees(given, self.engine(model, raw, "probs"))

    def table(self, dictionaries):
        return np.array([[row[name] for name in self.names] for row in dictionaries], np.float32)

    def test_other_labels_are_refused(self):
        self.networks_of(self.classifier(list("vwxyz"), "linear"), 17)
        model = self.fit("slts", "fit_probs.npy", "votes.csv", "probs", "--score-classes",
                         ",".join(self.names))
        self.assertIn("different names", self.refused(model, "skl.onnx"))

    def test_probabilities_are_not_taken_for_logits(self):
        self.networks_of(self.classifier(self.names, "forest"), 17, zipmap=False)
        self.assertIn("--input-kind probs", self.refused(self.model(), "skl.onnx"))



if __name__ == "__main__":
    unittest.main()
