"""Work out how the 8-bit encoder shares the range of values between activations and weights.

    python bench/calibrate_minilm.py bench/minilm_exponents.json

SmoothQuant (Xiao et al. 2023, alpha = .5): where a linear layer reads x, channel j of x is divided
by s_j = sqrt(max|x_j| / max|w_j|) and row j of its weights multiplied by it, so that a few large
channels do not take the 8 bits of all others. s_j is kept as a power of two (an exponent), which
divides without rounding and is the same on every processor. The maxima of x are those of the fixed
texts below, read by the fp32 graph; needs the development extra `onnx`.
"""

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, load_from_string
from tokenizers import Tokenizer

from quipu.embed.weights import find_model

GRAPH = Path(__file__).parents[1] / "src" / "quipu" / "embed" / "minilm.onnx"
LAYERS = 6

TEXTS = (
    "The ferry to the island leaves at half past seven, except on Sundays and in strong wind.",
    "def total(prices, rate=0.19):\n    return sum(p * (1 + rate) for p in prices if p > 0)\n",
    "2024-03-11 08:14:02 ERROR payments: connection to db-3 refused after 5 retries (timeout 30s)",
    "Ada: did you move the meeting?\nTom: yes, to Thursday at ten, the room on the second floor.",
    "| name | size | since |\n|---|---|---|\n| alpha | 12 | 1998 |\n| beta | 7 | 2011 |",
    "Marie Curie, born in Warsaw in 1867, won Nobel Prizes in physics (1903) and chemistry (1911).",
    "Who wrote the first edition of the handbook, and in which year did it appear?",
    ("SELECT owner, count(*) FROM orders WHERE placed > '2020-01-01' "
     "GROUP BY owner ORDER BY 2 DESC;"),
    "## Installing\n\nRun `make install`, then set `CACHE_DIR` in `.env`. See docs/setup.md.",
    "The mitochondrial membrane potential fell after the inhibitor was added, as was seen before.",
    "import { readFile } from 'node:fs/promises';\nexport const load = async (p) => readFile(p);",
    "We decided to replace the queue by a table, because losing a message cost more than waiting.",
    "fix: keep the lock until the index is written (#412)\n\nA crash between both left it stale.",
    "I used to live in Lisbon, but since my sister's wedding last May we have had a flat in Porto.",
    '{"service": "search", "replicas": 3, "limits": {"cpu": "500m", "memory": "256Mi"}}',
    "Article 5. The tenant pays the rent by the third working day of each month; € 1,250 in 2023.",
)  # fmt: skip


def readers() -> dict[str, list[str]]:
    """What a linear layer reads → the modules that read it."""
    found: dict[str, list[str]] = {}
    for n in range(LAYERS):
        module = f"encoder.layer.{n}"
        roles = ("query", "key", "value")
        found[f"layer{n}"] = [f"{module}.attention.self.{role}" for role in roles]
        found[f"layer{n}.mixed_joined"] = [f"{module}.attention.output.dense"]
        found[f"layer{n}.attended"] = [f"{module}.intermediate.dense"]
        found[f"layer{n}.bent"] = [f"{module}.output.dense"]
    return found


def largest_inputs(names: list[str]) -> dict[str, Any]:
    """The largest size of each channel of each value of the graph, over all tokens of `TEXTS`."""
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
    found: dict[str, Any] = dict.fromkeys(names, np.float32(0))
    for text in TEXTS:
        ids = np.array(tokenizer.encode(text).ids, np.int64)
        for name, value in zip(names, session.run(names, {"token_ids": ids}), strict=True):
            found[name] = np.maximum(found[name], np.abs(value).max(axis=0))
    return found


def largest_weights(modules: list[str]) -> Any:
    """The largest size of the weights that each input channel of `modules` meets."""
    data = find_model().weights.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    rows: list[Any] = []
    for module in modules:
        entry = header[f"{module}.weight"]
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        weights = np.frombuffer(data[start:end], "<f4").reshape(entry["shape"])
        rows.append(np.abs(weights).max(axis=0))
    return np.max(rows, axis=0)


def main(target: str) -> None:
    """Write value → exponents of two, one a channel, as JSON."""
    reading = readers()
    inputs = largest_inputs(list(reading))
    exponents = {
        name: np.rint(np.log2(inputs[name] / largest_weights(modules)) / 2).astype(int).tolist()
        for name, modules in reading.items()
    }
    Path(target).write_text(
        json.dumps(exponents, separators=(",", ":")).replace("],", "],\n") + "\n"
    )


if __name__ == "__main__":
    main(sys.argv[1])
