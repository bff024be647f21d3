"""Small networks, shaped as exporters write them."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

IR_OF_OPSET = {11: 6, 17: 8, 21: 10}
NUMPY_TYPE = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16,
              TensorProto.DOUBLE: np.float64}


def save(path, nodes, inputs, outputs, initializers, opset, value_info=(), properties=None, **options):
    graph = helper.make_graph(nodes, "main_graph", inputs, outputs, initializers,
                              value_info=list(value_info))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                              producer_name="pytorch", producer_version="2.4.0")
    model.ir_version = IR_OF_OPSET[opset]
    if properties:
        helper.set_model_props(model, properties)
    onnx.checker.check_model(model)
    onnx.save_model(model, str(path), **options)
    return path


def linear(path, classes, opset, element=TensorProto.FLOAT, softmax=None, output="logits",
           properties=None, batch="batch", more=(), more_outputs=(), seed=0, **options):
    """Two layers, as torch.nn.Sequential(Linear, ReLU, Linear) comes out; `softmax`: an operator
    behind them."""
    rng = np.random.default_rng(seed)
    kind = NUMPY_TYPE[element]
    weights = {
        "0.weight": rng.normal(size=(16, 6)), "0.bias": rng.normal(size=16),
        "2.weight": rng.normal(size=(classes, 16)), "2.bias": rng.normal(size=classes),
    }
    initializers = [numpy_helper.from_array(w.astype(kind), name) for name, w in weights.items()]
    last = "/2/Gemm_output_0" if softmax else output
    nodes = [
        helper.make_node("Gemm", ["input", "0.weight", "0.bias"], ["/0/Gemm_output_0"], "/0/Gemm",
                         alpha=1.0, beta=1.0, transB=1),
        helper.make_node("Relu", ["/0/Gemm_output_0"], ["/1/Relu_output_0"], "/1/Relu"),
        helper.make_node("Gemm", ["/1/Relu_output_0", "2.weight", "2.bias"], [last], "/2/Gemm",
                         alpha=1.0, beta=1.0, transB=1),
    ]
    if softmax:
        nodes.append(helper.make_node(softmax, [last], [output], f"/3/{softmax}", axis=1))
    nodes.extend(more)
    return save(path, nodes, [helper.make_tensor_value_info("input", element, [batch, 6])],
                [helper.make_tensor_value_info(output, element, [batch, classes]), *more_outputs],
                initializers, opset, properties=properties, **options)


def segmentation(path, classes, opset, softmax=False):
    """A 1 x 1 convolution: classes on the second axis."""
    rng = np.random.default_rng(1)
    last = "conv" if softmax else "output"
    nodes = [helper.make_node("Conv", ["input", "w", "b"], [last], "/conv/Conv", kernel_shape=[1, 1])]
    if softmax:
        nodes.append(helper.make_node("Softmax", [last], ["output"], "/softmax", axis=1))
    initializers = [numpy_helper.from_array(rng.normal(size=(classes, 3, 1, 1)).astype(np.float32), "w"),
                    numpy_helper.from_array(rng.normal(size=classes).astype(np.float32), "b")]
    return save(path, nodes,
                [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, "h", "w"])],
                [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", classes, "h", "w"])],
                initializers, opset)
