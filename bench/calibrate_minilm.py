"""Work out how the 8-bit encoder shares the range of values between activations and weights.

    python -m bench.calibrate_minilm bench/minilm_exponents.json FOLDER

SmoothQuant (Xiao et al. 2023): where a linear layer reads x, channel j of x is divided by
s_j = a_j^α / w_j^(1 - α) and row j of its weights multiplied by it, so that a few large channels
do not take the 8 bits of all others; a_j and w_j say how large the channel and its weights are.
Which measure of size (the largest, or the root of the mean square) and which α is chosen for each
layer by what it loses: the product of the rounded rows and columns is compared with the exact one,
as in AWQ (Lin et al. 2024). Query, key and value read the same rows, and the value's product
decides: what it loses goes into the passage, where the others' only shifts attention. s_j is kept
as a power of two (an exponent), which divides without rounding and is the same on every processor.

The rows are those that the fp32 graph has for the fixed texts below and for the documentation and
sources in FOLDER: a checkout of this repository at e9f12f8. Needs the development extra `onnx`.
"""

import json
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, load_from_string
from tokenizers import Tokenizer

from bench.make_minilm_graph import LEAST_GELU
from quipu.embed.weights import find_model

GRAPH = Path(__file__).parents[1] / "src" / "quipu" / "embed" / "minilm.onnx"
LAYERS = 6
ROWS = 8  # of each text
SHARES = tuple(n / 10 for n in range(11))

TEXTS = (
    "The ferry to the island leaves at half past seven, except on Sundays and in strong wind.",
    "def total(prices, rate=0.19):\n    return sum(p * (1 + rate) for p in prices if p > 0)\n",
    "2024-03-11 08:14:02 ERROR payments: connection to db-3 refused after 5 retries (timeout 30s)",
    "Ada: did you move the meeting?\nTom: yes, to Thursday at ten, the room on the second floor.",
    "| name | size | since |\n|---|---|---|\n| alpha | 12 | 1998 |\n| beta | 7 | 2011 |",
    "Marie Curie, born in Warsaw in 1867, won Nobel Prizes in physics (1903) and chemistry (1911).",
    "Who wrote the first edition of the handbook, and in which year did it appear?",
    (
        "SELECT owner, count(*) FROM orders WHERE placed > '2020-01-01' "
        "GROUP BY owner ORDER BY 2 DESC;"
    ),
    "## Installing\n\nRun `make install`, then set `CACHE_DIR` in `.env`. See docs/setup.md.",
    "The mitochondrial membrane potential fell after the inhibitor was added, as was seen before.",
    "import { readFile } from 'node:fs/promises';\nexport const load = async (p) => readFile(p);",
    "We decided to replace the queue by a table, because losing a message cost more than waiting.",
    "fix: keep the lock until the index is written (#412)\n\nA crash between both left it stale.",
    "I used to live in Lisbon, but since my sister's wedding last May we have had a flat in Porto.",
    '{"service": "search", "replicas": 3, "limits": {"cpu": "500m", "memory": "256Mi"}}',
    "Article 5. The tenant pays the rent by the third working day of each month; € 1,250 in 2023.",
)


def readers() -> dict[str, list[str]]:
    """What a linear layer reads → the modules whose products decide how it is eased."""
    found: dict[str, list[str]] = {}
    for n in range(LAYERS):
        module = f"encoder.layer.{n}"
        found[f"layer{n}"] = [f"{module}.attention.self.value"]
        found[f"layer{n}.mixed_joined"] = [f"{module}.attention.output.dense"]
        found[f"layer{n}.attended"] = [f"{module}.intermediate.dense"]
        found[f"layer{n}.bent"] = [f"{module}.output.dense"]
    return found


def texts(folder: Path) -> Iterator[str]:
    """The fixed ones, three sections of each page, and a piece of every twelfth module."""
    yield from TEXTS
    pages = [*folder.glob("docs/**/*.md"), folder / "README.md", folder / "CHANGELOG.md"]
    for page in sorted(pages):
        sections = re.split(r"\n#+ ", page.read_text(encoding="utf-8"))
        long = [section for section in sections if len(section) > 120]
        yield from long[:: max(1, len(long) // 3)][:3]
    for module in sorted(folder.glob("src/quipu/**/*.py"))[::12]:
        source = module.read_text(encoding="utf-8")
        middle = len(source) // 2
        yield source[middle : middle + 900]


def rows_read(names: list[str], folder: Path) -> dict[str, Any]:
    """float32[rows, channels]: some rows of each value of the graph, of every text."""
    files = find_model()
    model = load_from_string(GRAPH.read_bytes())
    known = {output.name for output in model.graph.output}
    added = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
    model.graph.output.extend(info for info in added if info.name not in known)
    options = onnxruntime.SessionOptions()
    key = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(key, str(files.weights.parent))
    session: Any = onnxruntime.InferenceSession(model.SerializeToString(), options)
    tokenizer: Any = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    random = np.random.default_rng(0)
    found: dict[str, list[Any]] = {name: [] for name in names}
    for text in texts(folder):
        ids = np.array(tokenizer.encode(text).ids, np.int64)
        some = np.sort(random.choice(len(ids), min(len(ids), ROWS), replace=False))
        for name, value in zip(names, session.run(names, {"token_ids": ids}), strict=True):
            found[name].append(value[some])
    return {name: np.concatenate(rows) for name, rows in found.items()}


def weights_of(modules: list[str]) -> Any:
    """float32[in, out]: the weights of `modules` beside each other."""
    data = find_model().weights.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    found: list[Any] = []
    for module in modules:
        entry = header[f"{module}.weight"]
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        found.append(np.frombuffer(data[start:end], "<f4").reshape(entry["shape"]).T)
    return np.concatenate(found, axis=1)


def rounded(values: Any, axis: int) -> Any:
    """As the graph rounds them: what is never negative in 256 steps, all else in 127 a side."""
    if values.min() >= 0:
        step = np.maximum(values.max(axis=axis, keepdims=True) / 255, 1e-30)
    else:
        step = np.maximum(np.abs(values).max(axis=axis, keepdims=True) / 127, 1e-30)
    return np.rint(values / step) * step


def sizes(values: Any, axis: int) -> dict[str, Any]:
    """How large each channel is, in two measures."""
    largest, square = np.abs(values).max(axis=axis), np.sqrt((values * values).mean(axis=axis))
    return {"largest": np.maximum(largest, 1e-6), "square": np.maximum(square, 1e-6)}


def best_exponents(read: Any, weights: Any) -> Any:
    """int[channels]: the exponents that lose least of the product."""
    exact = read @ weights
    of_read, of_weights = sizes(read, 0), sizes(weights, 1)
    pairs = (("largest", "largest"), ("square", "square"), ("largest", "square"))
    tried: list[tuple[float, Any]] = []
    for one, other in pairs:
        for share in SHARES:
            eased = np.log2(of_read[one]) * share - np.log2(of_weights[other]) * (1 - share)
            exponents = np.rint(eased).astype(int)
            exponents -= int(np.median(exponents))
            scale = np.exp2(exponents.astype(np.float32))
            made = rounded(read / scale, 1) @ rounded(weights * scale[:, None], 0)
            tried.append((float(((made - exact) ** 2).mean()), exponents))
    return min(tried, key=lambda each: each[0])[1]


def main(target: str, folder: Path) -> None:
    """Write value → exponents of two, one a channel, as JSON."""
    reading = readers()
    exponents: dict[str, list[int]] = {}
    for name, rows in rows_read(list(reading), folder).items():
        read = rows - LEAST_GELU if name.endswith(".bent") else rows
        exponents[name] = best_exponents(read, weights_of(reading[name])).tolist()
    Path(target).write_text(
        json.dumps(exponents, separators=(",", ":")).replace("],", "],\n") + "\n"
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
