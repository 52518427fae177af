"""The same model on OpenVINO: bfloat16 where the processor has it, about 1.6 times as fast.

Optional: `pip install 'quipu-memory[openvino]'`, then `precision = "openvino-bf16"`. The graph is
the one ONNX Runtime reads. Vectors of the two engines belong to different spaces.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quipu.embed.pooling import Float
from quipu.embed.weights import WEIGHTS_NAME, ModelFiles
from quipu.errors import MissingExtra

__all__ = ["load"]

_RAN = {"bf16": "openvino-bf16", "f32": "openvino-fp32"}


def load(
    graph: bytes, model: ModelFiles, *, threads: int
) -> tuple[Callable[[NDArray[np.int64]], Float], str]:
    """The forward pass, int64[t] → float32[t, 384], and the precision that it really has.

    OpenVINO falls back to float32 where the processor lacks bfloat16; the second value says so.
    Up to `threads` passes run side by side, one thread each. Raises MissingExtra when openvino
    is not installed.
    """
    try:
        openvino: Any = import_module("openvino")
    except ImportError as error:
        raise MissingExtra(
            "precision 'openvino-bf16' needs openvino, which is not installed; "
            "run `pip install 'quipu-memory[openvino]'`"
        ) from error
    core = openvino.Core()
    options = {
        "INFERENCE_PRECISION_HINT": "bf16",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": threads,
    }
    with tempfile.TemporaryDirectory(prefix="quipu-", ignore_cleanup_errors=True) as folder:
        network = core.read_model(_lay_out(graph, model, Path(folder)))
        compiled = core.compile_model(network, "CPU", options)
    ran = _RAN[compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()]
    requests: SimpleQueue[Any] = SimpleQueue()
    for _ in range(threads):
        requests.put(compiled.create_infer_request())

    def forward(ids: NDArray[np.int64]) -> Float:
        request = requests.get()
        try:
            request.infer([ids])
            return np.array(request.get_output_tensor(0).data, dtype=np.float32)  # its own copy
        finally:
            requests.put(request)

    return forward, ran


def _lay_out(graph: bytes, model: ModelFiles, folder: Path) -> Path:
    """The graph with its weights beside it: OpenVINO reads external data from there only, and
    follows no symlink out of the folder."""
    path = folder / "minilm.onnx"
    path.write_bytes(graph)
    try:
        os.link(model.weights, folder / WEIGHTS_NAME)
    except OSError:  # another file system, or links to others' files are forbidden
        shutil.copyfile(model.weights, folder / WEIGHTS_NAME)
    return path
