"""Write the weightless ONNX graph of all-MiniLM-L6-v2 that ships in the package.

The graph holds no weights: each initialiser is external data, a byte range of the official
`model.safetensors` (fixed by its sha256), so 30 KB of package and the published weights make
the model. The same input gives the same bytes.

    python bench/make_minilm_graph.py MODEL.safetensors src/quipu/embed/minilm.onnx

Needs the development extra `onnx`. The network is BERT (Devlin et al. 2018): 6 layers, hidden
384, 12 heads, intermediate 1536, GELU with the exact erf, LayerNorm with epsilon 1e-12.
Activations are two-dimensional [t, 384]: one text at a time, so no batch axis, no padding and
no mask, and each linear layer is one Gemm that reads PyTorch's [out, in] matrix as it lies.
"""

import json
import struct
import sys
from pathlib import Path
from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, helper

LAYERS, HIDDEN, HEADS, POSITIONS = 6, 384, 12, 512
HEAD_SIZE = HIDDEN // HEADS
INNER = ("layer2", "layer3", "layer4")
LAYER_NORM_EPSILON = 1e-12
OPSET = 20
IR_VERSION = 10
WEIGHTS_FILE = "model.safetensors"


class _Graph:
    """Nodes in order, and the weights they name, each a byte range of the safetensors file."""

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            (header_size,) = struct.unpack("<Q", file.read(8))
            self._header = json.loads(file.read(header_size))
        self._data_start = 8 + header_size
        self.nodes: list[NodeProto] = []
        self.initializers: dict[str, TensorProto] = {}

    def weight(self, name: str) -> str:
        if name not in self.initializers:
            entry = self._header[name]
            if entry["dtype"] != "F32":
                raise ValueError(f"{name!r} is {entry['dtype']!r}; expected F32")
            start, end = entry["data_offsets"]
            tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=entry["shape"])
            tensor.data_location = TensorProto.EXTERNAL
            external = {
                "location": WEIGHTS_FILE,
                "offset": self._data_start + start,
                "length": end - start,
            }
            for key, value in external.items():
                tensor.external_data.add(key=key, value=str(value))
            self.initializers[name] = tensor
        return name

    def constant(self, name: str, data_type: int, values: list[int] | list[float]) -> str:
        if name not in self.initializers:
            self.initializers[name] = helper.make_tensor(name, data_type, [len(values)], values)
        return name

    def add(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        node = helper.make_node(op, inputs, [output], name=output, **attributes)
        self.nodes.append(node)
        return output

    def linear(self, value: str, module: str, output: str) -> str:
        inputs = [value, self.weight(f"{module}.weight"), self.weight(f"{module}.bias")]
        return self.add("Gemm", inputs, output, transB=1)

    def layer_norm(self, value: str, module: str, output: str) -> str:
        inputs = [value, self.weight(f"{module}.weight"), self.weight(f"{module}.bias")]
        return self.add("LayerNormalization", inputs, output, axis=-1, epsilon=LAYER_NORM_EPSILON)


def _embeddings(graph: _Graph) -> str:
    words = graph.add(
        "Gather", [graph.weight("embeddings.word_embeddings.weight"), "token_ids"], "words"
    )
    zero = graph.constant("zero", TensorProto.INT64, [0])
    count = graph.add("Shape", ["token_ids"], "token_count")
    positions = graph.add(
        "Slice",
        [graph.weight("embeddings.position_embeddings.weight"), zero, count, zero],
        "positions",
    )
    segment = graph.add(
        "Gather", [graph.weight("embeddings.token_type_embeddings.weight"), zero], "segment"
    )
    placed = graph.add("Add", [words, positions], "words_placed")
    total = graph.add("Add", [placed, segment], "embedded")
    return graph.layer_norm(total, "embeddings.LayerNorm", "layer0")


def _attention(graph: _Graph, value: str, module: str, prefix: str) -> str:
    split = graph.constant("heads_shape", TensorProto.INT64, [0, HEADS, HEAD_SIZE])
    heads: dict[str, str] = {}
    for role, order in (("query", [1, 0, 2]), ("key", [1, 2, 0]), ("value", [1, 0, 2])):
        flat = graph.linear(value, f"{module}.self.{role}", f"{prefix}.{role}")
        shaped = graph.add("Reshape", [flat, split], f"{prefix}.{role}_split")
        heads[role] = graph.add("Transpose", [shaped], f"{prefix}.{role}_heads", perm=order)
    scale = graph.constant("scale", TensorProto.FLOAT, [HEAD_SIZE**-0.5])
    products = graph.add("MatMul", [heads["query"], heads["key"]], f"{prefix}.products")
    scaled = graph.add("Mul", [products, scale], f"{prefix}.scaled")
    weights = graph.add("Softmax", [scaled], f"{prefix}.attention", axis=-1)
    mixed = graph.add("MatMul", [weights, heads["value"]], f"{prefix}.mixed")
    turned = graph.add("Transpose", [mixed], f"{prefix}.mixed_turned", perm=[1, 0, 2])
    joined_shape = graph.constant("joined_shape", TensorProto.INT64, [0, HIDDEN])
    return graph.add("Reshape", [turned, joined_shape], f"{prefix}.mixed_joined")


def _layer(graph: _Graph, value: str, number: int) -> str:
    module, prefix = f"encoder.layer.{number}", f"layer{number}"
    mixed = _attention(graph, value, f"{module}.attention", prefix)
    projected = graph.linear(mixed, f"{module}.attention.output.dense", f"{prefix}.projected")
    added = graph.add("Add", [projected, value], f"{prefix}.attended_sum")
    attended = graph.layer_norm(added, f"{module}.attention.output.LayerNorm", f"{prefix}.attended")
    wide = graph.linear(attended, f"{module}.intermediate.dense", f"{prefix}.wide")
    bent = graph.add("Gelu", [wide], f"{prefix}.bent", approximate="none")
    narrow = graph.linear(bent, f"{module}.output.dense", f"{prefix}.narrow")
    total = graph.add("Add", [narrow, attended], f"{prefix}.sum")
    last = number == LAYERS - 1
    output = "token_vectors" if last else f"layer{number + 1}"
    return graph.layer_norm(total, f"{module}.output.LayerNorm", output)


def build(weights: Path) -> ModelProto:
    """The model `token_ids` int64[t] → `token_vectors` float32[t, 384], without its weights.

    The outputs of three inner layers leave it too, of the same shape: the grammar reads them.
    """
    graph = _Graph(weights)
    value = _embeddings(graph)
    for number in range(LAYERS):
        value = _layer(graph, value, number)
    outputs = ("token_vectors", *INNER)
    body = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("token_ids", TensorProto.INT64, ["t"])],
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, ["t", HIDDEN]) for o in outputs],
        list(graph.initializers.values()),
    )
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(body, opset_imports=[opset], ir_version=IR_VERSION)


def main(arguments: list[str]) -> None:
    """Build from the weights named first and write the graph to the file named second."""
    weights, target = Path(arguments[0]), Path(arguments[1])
    model = build(weights)
    target.write_bytes(model.SerializeToString(deterministic=True))
    print(f"{target}: {target.stat().st_size} bytes, {len(model.graph.node)} nodes")


if __name__ == "__main__":
    main(sys.argv[1:])
