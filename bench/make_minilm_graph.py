"""Write the weightless ONNX graph of all-MiniLM-L6-v2 that ships in the package.

The graph holds no weights: each initialiser is external data, a byte range of the official
`model.safetensors` (fixed by its sha256), so 30 KB of package and the published weights make
the model. The same input gives the same bytes.

    python bench/make_minilm_graph.py MODEL.safetensors src/quipu/embed/minilm.onnx
    python bench/make_minilm_graph.py MODEL.safetensors src/quipu/embed/minilm_int8.onnx EXPONENTS

Needs the development extra `onnx`. The network is BERT (Devlin et al. 2018): 6 layers, hidden
384, 12 heads, intermediate 1536, GELU with the exact erf, LayerNorm with epsilon 1e-12.
Activations are two-dimensional [t, 384]: one text at a time, so no batch axis, no padding and
no mask, and each linear layer is one Gemm that reads PyTorch's [out, in] matrix as it lies.

With EXPONENTS (`bench/minilm_exponents.json`, made by `bench/calibrate_minilm.py`) the linear
layers multiply 8-bit integers: activations are rounded a row (a token) and weights a column, both
symmetric, with SmoothQuant scales between them (Xiao et al. 2023). What GELU gives is never below
-0.17, so it is rounded from there up, in 256 steps instead of 127 a side, and what that adds to the
product is taken off the bias; its weights, 1536 to a column, are rounded a quarter of a column. The
layers that read it had made three fifths of what rounding loses. The weights are rounded from the
same published file, by nodes that ONNX Runtime folds into constants when it loads the model. One
row is rounded on its own, so a text's vectors do not depend on the others.

    python bench/make_minilm_graph.py --probe src/quipu/embed/int8_probe.onnx

writes a product whose sums are wrong where 8-bit products saturate (x86 without VNNI).
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
PROBE_SIZE = 64
LEAST_GELU = -0.17
"""GELU is never less (its least is -0.16997)."""
QUARTERS = 4


class _Graph:
    """Nodes in order, and the weights they name, each a byte range of the safetensors file."""

    def __init__(self, weights: Path, exponents: dict[str, list[int]] | None) -> None:
        with weights.open("rb") as file:
            (header_size,) = struct.unpack("<Q", file.read(8))
            self._header = json.loads(file.read(header_size))
        self._data_start = 8 + header_size
        self.nodes: list[NodeProto] = []
        self.initializers: dict[str, TensorProto] = {}
        self._exponents = exponents
        self._rounded: set[tuple[str, str]] = set()

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

    def scalar(self, name: str, data_type: int, value: float) -> str:
        if name not in self.initializers:
            self.initializers[name] = helper.make_tensor(name, data_type, [], [value])
        return name

    def add(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        node = helper.make_node(op, inputs, [output], name=output, **attributes)
        self.nodes.append(node)
        return output

    def linear(self, value: str, module: str, output: str) -> str:
        if self._exponents is not None and value.endswith(".bent"):
            return self._linear_of_gelu(value, module, output, self._exponents[value])
        if self._exponents is not None:
            return self._linear_int8(value, module, output, self._exponents)
        inputs = [value, self.weight(f"{module}.weight"), self.weight(f"{module}.bias")]
        return self.add("Gemm", inputs, output, transB=1)

    def _linear_int8(
        self, value: str, module: str, output: str, exponents: dict[str, list[int]]
    ) -> str:
        rounded, row_scale = self._rounded_rows(value, exponents[value])
        weight, column_scale = self._rounded_weight(module, value)
        sums = self.add("MatMulInteger", [rounded, weight, self._middle()], f"{output}.sums")
        floats = self.add("Cast", [sums], f"{output}.floats", to=TensorProto.FLOAT)
        rows = self.add("Mul", [floats, row_scale], f"{output}.rows")
        scaled = self.add("Mul", [rows, column_scale], f"{output}.scaled")
        return self.add("Add", [scaled, self.weight(f"{module}.bias")], output)

    def _linear_of_gelu(self, value: str, module: str, output: str, exponents: list[int]) -> str:
        """A linear layer of what is never below `LEAST_GELU`, a quarter of its columns after the
        other."""
        ease = self.constant(f"{value}.ease", TensorProto.FLOAT, [2.0**-e for e in exponents])
        least = self.scalar("least_gelu", TensorProto.FLOAT, LEAST_GELU)
        above = self.add("Sub", [value, least], f"{value}.above")
        eased = self.add("Mul", [above, ease], f"{value}.eased")
        row_scale = self._scale(eased, value, axis=1, steps=255)
        zero = self.scalar("uint8_none", TensorProto.UINT8, 0)
        rounded = self._quantize(eased, row_scale, zero, f"{value}.uint8")
        weight = self._eased_weight(module, value)
        lifted = self.add("Mul", [ease, least], f"{value}.lifted")
        products: list[str] = []
        offsets = [self.weight(f"{module}.bias")]
        size = len(exponents) // QUARTERS
        for n in range(QUARTERS):
            some, name = f"{n}of{QUARTERS}", f"{module}.{n}of{QUARTERS}"
            part = self._slice(weight, n * size, size, axis=0, output=f"{name}.eased")
            column_scale = self._scale(
                self.add("Abs", [part], f"{name}.sizes"), name, axis=0, steps=127
            )
            zero_int8 = self.scalar("int8_zero", TensorProto.INT8, 0)
            columns = self._quantize(part, column_scale, zero_int8, f"{name}.int8")
            rows = self._slice(rounded, n * size, size, axis=1, output=f"{value}.{some}")
            sums = self.add("MatMulInteger", [rows, columns, zero], f"{output}.{some}.sums")
            floats = self.add("Cast", [sums], f"{output}.{some}.floats", to=TensorProto.FLOAT)
            products.append(self.add("Mul", [floats, column_scale], f"{output}.{some}"))
            kept = self.add("Cast", [columns], f"{name}.kept", to=TensorProto.FLOAT)
            read = self.add("Mul", [kept, column_scale], f"{name}.read")
            lift = self._slice(lifted, n * size, size, axis=0, output=f"{value}.{some}.lifted")
            offsets.append(self.add("MatMul", [lift, read], f"{name}.offset"))
        together = self._sum(products, f"{output}.together")
        scaled = self.add("Mul", [together, row_scale], f"{output}.scaled")
        return self.add("Add", [scaled, self._sum(offsets, f"{output}.bias")], output)

    def _sum(self, values: list[str], output: str) -> str:
        """One after the other: a sum of many has no order that every version keeps."""
        total = values[0]
        for n, value in enumerate(values[1:]):
            total = self.add("Add", [total, value], f"{output}.{n}")
        return total

    def _slice(self, value: str, start: int, size: int, *, axis: int, output: str) -> str:
        bounds = [
            self.constant(f"at{n}", TensorProto.INT64, [n]) for n in (start, start + size, axis)
        ]
        return self.add("Slice", [value, *bounds], output)

    def _rounded_rows(self, value: str, exponents: list[int]) -> tuple[str, str]:
        """`value` float32[t, n] as uint8[t, n] (128 is zero) and float32[t, 1], once for all."""
        done = (f"{value}.uint8", f"{value}.row_scale")
        if done not in self._rounded:
            self._rounded.add(done)
            ease = [2.0**-exponent for exponent in exponents]
            smooth = self.constant(f"{value}.ease", TensorProto.FLOAT, ease)
            eased = self.add("Mul", [value, smooth], f"{value}.eased")
            self._round(eased, value, axis=1, zero=self._middle(), scale=done[1], rounded=done[0])
        return done

    def _rounded_weight(self, module: str, value: str) -> tuple[str, str]:
        """int8[in, out] and float32[1, out]: ONNX Runtime works both out as the model is loaded."""
        name = f"{module}.weight"
        eased = self._eased_weight(module, value)
        done = (f"{name}.int8", f"{name}.column_scale")
        zero = self.scalar("int8_zero", TensorProto.INT8, 0)
        self._round(eased, name, axis=0, zero=zero, scale=done[1], rounded=done[0])
        return done

    def _eased_weight(self, module: str, value: str) -> str:
        """float32[in, out]: the weights, with what their inputs were divided by."""
        name = f"{module}.weight"
        turned = self.add("Transpose", [self.weight(name)], f"{name}.turned", perm=[1, 0])
        column = self.constant("column", TensorProto.INT64, [1])
        ease = self.add("Unsqueeze", [f"{value}.ease", column], f"{name}.ease")
        return self.add("Div", [turned, ease], f"{name}.eased")

    def _middle(self) -> str:
        return self.scalar("uint8_zero", TensorProto.UINT8, 128)

    def _round(
        self, value: str, prefix: str, *, axis: int, zero: str, scale: str, rounded: str
    ) -> None:
        sizes = self.add("Abs", [value], f"{prefix}.sizes")
        self._scale(sizes, prefix, axis=axis, steps=127, output=scale)
        self._quantize(value, scale, zero, rounded)

    def _scale(self, sizes: str, prefix: str, *, axis: int, steps: int, output: str = "") -> str:
        """What one step is worth, of `steps` from 0 to the largest along `axis`."""
        axes = self.constant(f"axis{axis}", TensorProto.INT64, [axis])
        largest = self.add("ReduceMax", [sizes, axes], f"{prefix}.largest", keepdims=1)
        step = self.constant(f"step{steps}", TensorProto.FLOAT, [1 / steps])
        worth = self.add("Mul", [largest, step], f"{prefix}.steps")
        least = self.constant("least", TensorProto.FLOAT, [1e-30])
        return self.add("Max", [worth, least], output or f"{prefix}.scale")

    def _quantize(self, value: str, scale: str, zero: str, output: str) -> str:
        shares = self.add("Div", [value, scale], f"{output}.shares")
        one = self.scalar("one", TensorProto.FLOAT, 1.0)
        return self.add("QuantizeLinear", [shares, one, zero], output)

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


def build_probe() -> ModelProto:
    """The model `left` uint8[1, 64] → `sums` int32[1, 64], times a matrix of nothing but 127."""
    many = [127] * PROBE_SIZE**2
    square = [PROBE_SIZE, PROBE_SIZE]
    body = helper.make_graph(
        [helper.make_node("MatMulInteger", ["left", "right"], ["sums"])],
        "probe",
        [helper.make_tensor_value_info("left", TensorProto.UINT8, [1, PROBE_SIZE])],
        [helper.make_tensor_value_info("sums", TensorProto.INT32, [1, PROBE_SIZE])],
        [helper.make_tensor("right", TensorProto.INT8, square, bytes(many), raw=True)],
    )
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(body, opset_imports=[opset], ir_version=IR_VERSION)


def build(weights: Path, exponents: dict[str, list[int]] | None = None) -> ModelProto:
    """The model `token_ids` int64[t] → `token_vectors` float32[t, 384], without its weights.

    The outputs of three inner layers leave it too, of the same shape, unless `exponents` (a value's
    name → one exponent of two a channel) make it an 8-bit one: the grammar reads them in float32.
    """
    graph = _Graph(weights, exponents)
    value = _embeddings(graph)
    for number in range(LAYERS):
        value = _layer(graph, value, number)
    outputs = ("token_vectors", *(INNER if exponents is None else ()))
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
    """Build from the weights named first and write the graph to the file named second; a third
    names the exponents of the 8-bit graph."""
    source, target = arguments[0], Path(arguments[1])
    exponents = json.loads(Path(arguments[2]).read_text()) if arguments[2:] else None
    model = build_probe() if source == "--probe" else build(Path(source), exponents)
    target.write_bytes(model.SerializeToString(deterministic=True))
    print(f"{target}: {target.stat().st_size} bytes, {len(model.graph.node)} nodes")


if __name__ == "__main__":
    main(sys.argv[1:])
