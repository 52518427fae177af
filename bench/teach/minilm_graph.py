"""Write the weightless ONNX graphs of all-MiniLM-L6-v2 that ship in the package.

    python bench/teach/minilm_graph.py MODEL.safetensors src/quipu/embed

The graphs hold no weights: each initialiser is external data, a byte range of the official
`model.safetensors` (fixed by its sha256), so 30 KB of package and the published weights make
the model. The same input gives the same bytes.

Needs the development extra `onnx`. The network is BERT (Devlin et al. 2018): 6 layers, hidden
384, 12 heads, intermediate 1536, GELU with the exact erf, LayerNorm with epsilon 1e-12.
Activations are two-dimensional [t, 384]: one text at a time, so no batch axis, no padding and
no mask, and each linear layer is one Gemm that reads PyTorch's [out, in] matrix as it lies.

`minilm_int8.onnx` multiplies 8-bit integers in its linear layers: activations are rounded a row (a
token) and weights a column, both symmetric, with SmoothQuant scales between them (Xiao et al. 2023)
that are powers of two (`minilm_exponents.json`, once calibrated on text and code). What GELU gives
is never below -0.17, so it is rounded from there up, in 256 steps instead of 127 a side, and what
that adds to the product is taken off the bias; its weights, 1536 to a column, are rounded a quarter
of a column. The layers that read it had made three fifths of what rounding loses. One row is
rounded on its own, so a text's vectors do not depend on the others.

`minilm_int8_exact.onnx` is the same for a processor whose 8-bit sums saturate: the integers are
multiplied as float32, where a sum of 384 such products is exact, and so are its bytes.

`minilm_rounding.onnx` has no input and gives the rounded weights of both. Every step is one that
all processors do alike, so the weights have one SHA-256.

`int8_probe.onnx` is a product whose sums are wrong where 8-bit products saturate (x86 without
VNNI).
"""

import json
import struct
import sys
from pathlib import Path
from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

LAYERS, HIDDEN, HEADS, POSITIONS = 6, 384, 12, 512
HEAD_SIZE = HIDDEN // HEADS
INNER = ("layer2", "layer3", "layer4")
LAYER_NORM_EPSILON = 1e-12
OPSET = 20
IR_VERSION = 10
WEIGHTS_FILE = "model.safetensors"
ROUNDED_FILE = "rounded"  # no file: what it would hold is handed over
EXPONENTS = Path(__file__).parent / "minilm_exponents.json"
PROBE_SIZE = 64
LEAST_GELU = -0.17
"""GELU is never less (its least is -0.16997)."""
QUARTERS = 4


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

    def scalar(self, name: str, data_type: int, value: float) -> str:
        if name not in self.initializers:
            self.initializers[name] = helper.make_tensor(name, data_type, [], [value])
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


class _Rounding(_Graph):
    """What is rounded to 8 bits, rows as they come and weights once for all."""

    def __init__(self, weights: Path, exponents: dict[str, list[int]]) -> None:
        super().__init__(weights)
        self._exponents = exponents

    def ease(self, value: str) -> str:
        """float32[n]: what the channels of `value` are multiplied by before they are rounded."""
        eases = [2.0**-exponent for exponent in self._exponents[value]]
        return self.constant(f"{value}.ease", TensorProto.FLOAT, eases)

    def scale(self, sizes: str, prefix: str, *, axis: int, steps: int) -> str:
        """What one step is worth, of `steps` from 0 to the largest along `axis`."""
        axes = self.constant(f"axis{axis}", TensorProto.INT64, [axis])
        largest = self.add("ReduceMax", [sizes, axes], f"{prefix}.largest", keepdims=1)
        step = self.constant(f"step{steps}", TensorProto.FLOAT, [1 / steps])
        worth = self.add("Mul", [largest, step], f"{prefix}.steps")
        least = self.constant("least", TensorProto.FLOAT, [1e-30])
        return self.add("Max", [worth, least], f"{prefix}.scale")

    def quantize(self, value: str, scale: str, zero: str, output: str) -> str:
        shares = self.add("Div", [value, scale], f"{output}.shares")
        one = self.scalar("one", TensorProto.FLOAT, 1.0)
        return self.add("QuantizeLinear", [shares, one, zero], output)

    def slice(self, value: str, start: int, size: int, *, axis: int, output: str) -> str:
        bounds = [
            self.constant(f"at{n}", TensorProto.INT64, [n]) for n in (start, start + size, axis)
        ]
        return self.add("Slice", [value, *bounds], output)

    def sum(self, values: list[str], output: str) -> str:
        """One after the other: a sum of many has no order that every version keeps."""
        total = values[0]
        for n, value in enumerate(values[1:]):
            total = self.add("Add", [total, value], f"{output}.{n}")
        return total


class _Rounded(_Rounding):
    """The network over weights that are rounded already.

    `exact_sums`: products of integers as float32 ones, of at most 384 numbers below 2^24 together,
    which no order of adding makes inexact: the same integers, on any processor.
    """

    def __init__(
        self, weights: Path, exponents: dict[str, list[int]], *, exact_sums: bool = False
    ) -> None:
        super().__init__(weights, exponents)
        self._exact_sums = exact_sums
        self._rows: dict[str, tuple[str, str]] = {}
        self.linears: list[tuple[str, str]] = []

    def linear(self, value: str, module: str, output: str) -> str:
        self.linears.append((value, module))
        if value.endswith(".bent"):
            return self._linear_of_gelu(value, module, output)
        rounded, row_scale = self._rounded_rows(value)
        size = len(self._exponents[value])
        shape = size, self._header[f"{module}.weight"]["shape"][0]
        floats = self._products(rounded, f"{module}.weight", shape, output, middle=128)
        rows = self.add("Mul", [floats, row_scale], f"{output}.rows")
        columns = self._by_column(rows, f"{module}.weight", shape, f"{output}.scaled")
        return self.add("Add", [columns, self.weight(f"{module}.bias")], output)

    def _linear_of_gelu(self, value: str, module: str, output: str) -> str:
        """A linear layer of what is never below `LEAST_GELU`, a quarter of its columns after the
        other."""
        least = self.scalar("least_gelu", TensorProto.FLOAT, LEAST_GELU)
        above = self.add("Sub", [value, least], f"{value}.above")
        eased = self.add("Mul", [above, self.ease(value)], f"{value}.eased")
        row_scale = self.scale(eased, value, axis=1, steps=255)
        rounded = self.quantize(eased, row_scale, self._uint8(0), f"{value}.uint8")
        products: list[str] = []
        size = len(self._exponents[value]) // QUARTERS
        for n in range(QUARTERS):
            some = f"{n}of{QUARTERS}"
            rows = self.slice(rounded, n * size, size, axis=1, output=f"{value}.{some}")
            name, shape, part = f"{module}.{some}", (size, HIDDEN), f"{output}.{some}"
            floats = self._products(rows, name, shape, part, middle=0)
            products.append(self._by_column(floats, name, shape, part))
        together = self.sum(products, f"{output}.together")
        scaled = self.add("Mul", [together, row_scale], f"{output}.scaled")
        lifted = self._given(f"{module}.lifted", TensorProto.FLOAT, (HIDDEN,))
        return self.add("Add", [scaled, lifted], output)

    def _rounded_rows(self, value: str) -> tuple[str, str]:
        """`value` float32[t, n] as uint8[t, n] (128 is zero) and float32[t, 1], once for all."""
        if value not in self._rows:
            eased = self.add("Mul", [value, self.ease(value)], f"{value}.eased")
            sizes = self.add("Abs", [eased], f"{value}.sizes")
            scale = self.scale(sizes, value, axis=1, steps=127)
            self._rows[value] = (
                self.quantize(eased, scale, self._uint8(128), f"{value}.uint8"),
                scale,
            )
        return self._rows[value]

    def _products(
        self, rows: str, name: str, shape: tuple[int, int], output: str, *, middle: int
    ) -> str:
        """float32[t, out]: uint8[t, in], where `middle` is zero, times rounded weights."""
        weight = self._given(f"{name}.int8", TensorProto.INT8, shape)
        if self._exact_sums:
            wide = self.add("Cast", [rows], f"{output}.wide", to=TensorProto.FLOAT)
            zero = self.scalar(f"float_{middle}", TensorProto.FLOAT, float(middle))
            around = self.add("Sub", [wide, zero], f"{output}.around")
            columns = self.add("Cast", [weight], f"{name}.float", to=TensorProto.FLOAT)
            return self.add("MatMul", [around, columns], f"{output}.floats")
        sums = self.add("MatMulInteger", [rows, weight, self._uint8(middle)], f"{output}.sums")
        return self.add("Cast", [sums], f"{output}.floats", to=TensorProto.FLOAT)

    def _by_column(self, value: str, name: str, shape: tuple[int, int], output: str) -> str:
        scale = self._given(f"{name}.scale", TensorProto.FLOAT, (1, shape[1]))
        return self.add("Mul", [value, scale], output)

    def _uint8(self, value: int) -> str:
        return self.scalar(f"uint8_{value}", TensorProto.UINT8, value)

    def _given(self, name: str, data_type: int, shape: tuple[int, ...]) -> str:
        """Weights that are handed over when the graph is loaded."""
        tensor = TensorProto(name=name, data_type=data_type, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=ROUNDED_FILE)
        self.initializers[name] = tensor
        return name


class _Weights(_Rounding):
    """Rounds the weights: no input, and an output for each that a `_Rounded` network is given."""

    def __init__(self, weights: Path, exponents: dict[str, list[int]]) -> None:
        super().__init__(weights, exponents)
        self.outputs: list[str] = []

    def round(self, value: str, module: str) -> None:
        if value.endswith(".bent"):
            self._round_quarters(value, module)
        else:
            self._round_columns(self._eased(value, module), f"{module}.weight")

    def _round_quarters(self, value: str, module: str) -> None:
        """A quarter of a column after the other, and the bias with what `LEAST_GELU` adds: in
        float64, where the sum of integers by powers of two is exact in any order."""
        eased, size = self._eased(value, module), len(self._exponents[value]) // QUARTERS
        ease = self._double(self.ease(value))
        least = self.scalar("least_gelu", TensorProto.DOUBLE, LEAST_GELU)
        lifts = [self._double(self.weight(f"{module}.bias"))]
        for n in range(QUARTERS):
            name = f"{module}.{n}of{QUARTERS}"
            part = self.slice(eased, n * size, size, axis=0, output=f"{name}.eased")
            rounded, scale = self._round_columns(part, name)
            some = self.slice(ease, n * size, size, axis=0, output=f"{name}.ease")
            sums = self.add("MatMul", [some, self._double(rounded)], f"{name}.sums")
            one = self.constant("first", TensorProto.INT64, [0])
            row = self.add("Squeeze", [self._double(scale), one], f"{name}.row")
            scaled = self.add("Mul", [sums, row], f"{name}.scaled")
            lifts.append(self.add("Mul", [scaled, least], f"{name}.lift"))
        total = self.sum(lifts, f"{module}.lifts")
        self.add("Cast", [total], f"{module}.lifted", to=TensorProto.FLOAT)
        self.outputs.append(f"{module}.lifted")

    def _round_columns(self, value: str, name: str) -> tuple[str, str]:
        sizes = self.add("Abs", [value], f"{name}.sizes")
        scale = self.scale(sizes, name, axis=0, steps=127)
        zero = self.scalar("int8_zero", TensorProto.INT8, 0)
        rounded = self.quantize(value, scale, zero, f"{name}.int8")
        self.outputs += [rounded, scale]
        return rounded, scale

    def _eased(self, value: str, module: str) -> str:
        """float32[in, out]: the weights, with what their inputs were divided by."""
        name = f"{module}.weight"
        turned = self.add("Transpose", [self.weight(name)], f"{name}.turned", perm=[1, 0])
        column = self.constant("column", TensorProto.INT64, [1])
        ease = self.add("Unsqueeze", [self.ease(value), column], f"{name}.ease")
        return self.add("Div", [turned, ease], f"{name}.eased")

    def _double(self, value: str) -> str:
        return self.add("Cast", [value], f"{value}.double", to=TensorProto.DOUBLE)


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


def build(weights: Path) -> ModelProto:
    """The model `token_ids` int64[t] → `token_vectors` float32[t, 384], without its weights; the
    outputs of three inner layers, of the same shape, leave it too."""
    return _network(_Graph(weights), ("token_vectors", *INNER))


def build_rounded(
    weights: Path, exponents: dict[str, list[int]], *, exact_sums: bool = False
) -> ModelProto:
    """The same in 8 bits by `exponents` (a value's name → one exponent of two a channel), without
    the inner layers, which the grammar reads in float32."""
    graph = _Rounded(weights, exponents, exact_sums=exact_sums)
    return _network(graph, ("token_vectors",))


def build_rounding(weights: Path, exponents: dict[str, list[int]]) -> ModelProto:
    """The model of no input that gives the weights of `build_rounded`."""
    network = _Rounded(weights, exponents)
    _network(network, ("token_vectors",))
    graph = _Weights(weights, exponents)
    for value, module in network.linears:
        graph.round(value, module)
    given = network.initializers
    outputs = [
        helper.make_tensor_value_info(name, given[name].data_type, given[name].dims)
        for name in graph.outputs
    ]
    return _model(graph, "rounding", [], outputs)


def _network(graph: _Graph, outputs: tuple[str, ...]) -> ModelProto:
    value = _embeddings(graph)
    for number in range(LAYERS):
        value = _layer(graph, value, number)
    return _model(
        graph,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("token_ids", TensorProto.INT64, ["t"])],
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, ["t", HIDDEN]) for o in outputs],
    )


def _model(
    graph: _Graph, name: str, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]
) -> ModelProto:
    weights = list(graph.initializers.values())
    body = helper.make_graph(graph.nodes, name, inputs, outputs, weights)
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(body, opset_imports=[opset], ir_version=IR_VERSION)


def main(arguments: list[str]) -> None:
    """Write the five graphs of the package into a folder."""
    source, target = Path(arguments[0]), Path(arguments[1])
    exponents = json.loads(EXPONENTS.read_text())
    for name, model in (
        ("minilm.onnx", build(source)),
        ("minilm_int8.onnx", build_rounded(source, exponents)),
        ("minilm_int8_exact.onnx", build_rounded(source, exponents, exact_sums=True)),
        ("minilm_rounding.onnx", build_rounding(source, exponents)),
        ("int8_probe.onnx", build_probe()),
    ):
        path = target / name
        path.write_bytes(model.SerializeToString(deterministic=True))
        print(f"{path}: {path.stat().st_size} bytes, {len(model.graph.node)} nodes")


if __name__ == "__main__":
    main(sys.argv[1:])
