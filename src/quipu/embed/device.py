"""Where the local model runs: on ONNX Runtime by the processor, or an Nvidia GPU where there is
one, or on OpenVINO.

A GPU is optional: `pip install 'quipu-memory[gpu]'`. It multiplies in fp32 (never TF32), so that
its vectors belong to the space of the processor's fp32 and differ from them as those of another
processor do: in the last bits.

So is OpenVINO: `pip install 'quipu-memory[openvino]'`, then `precision = "openvino-bf16"`. It has
bfloat16 where the processor has it and is about 1.6 times as fast. The graph is the one ONNX
Runtime reads. Vectors of the two engines belong to different spaces.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quipu.embed.pooling import Float
from quipu.embed.weights import WEIGHTS_NAME, ModelFiles
from quipu.errors import MissingExtra

__all__ = ["Device", "load_openvino", "providers", "uses_gpu"]

Device = Literal["auto", "cpu", "cuda"]

_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
_ON_CPU = (_CPU,)
_ON_GPU = ((_CUDA, {"use_tf32": "0"}), _CPU)
_SILENT, _WARNINGS = 4, 2

_OPENVINO_RAN = {"bf16": "openvino-bf16", "f32": "openvino-fp32"}


def providers(device: Device) -> tuple[Any, ...]:
    """The execution providers of ONNX Runtime that `device` stands for here, the first preferred.

    Raises MissingExtra when `device` is "cuda" and no GPU can be used.
    """
    if device == "cpu":
        return _ON_CPU
    onnxruntime: Any = import_module("onnxruntime")  # Any: it ships no types
    offered = _CUDA in onnxruntime.get_available_providers()
    if offered and _starts_on_gpu():
        return _ON_GPU
    if device == "cuda":
        raise MissingExtra(_NO_GPU if offered else _NO_LIBRARY)
    return _ON_CPU


def uses_gpu(chosen: tuple[Any, ...]) -> bool:
    """Whether these providers begin with a GPU."""
    return chosen == _ON_GPU


@cache
def _starts_on_gpu() -> bool:
    """Whether a session really begins there: the library may lack its driver or its GPU, which
    it says on stderr and to nobody else."""
    onnxruntime: Any = import_module("onnxruntime")
    graph = files("quipu.embed").joinpath("int8_probe.onnx").read_bytes()
    onnxruntime.set_default_logger_severity(_SILENT)
    try:
        session = onnxruntime.InferenceSession(graph, providers=list(_ON_GPU))
    finally:
        onnxruntime.set_default_logger_severity(_WARNINGS)
    return session.get_providers()[0] == _CUDA


_NO_LIBRARY = (
    "embed.device 'cuda' needs onnxruntime-gpu, which is not installed; run `pip install "
    "'quipu-memory[gpu]'` and then `pip install --force-reinstall --no-deps onnxruntime-gpu` "
    "(it shares a folder with onnxruntime)"
)
_NO_GPU = (
    "embed.device is 'cuda' and onnxruntime-gpu finds no GPU that it can use; `nvidia-smi` shows "
    'whether the driver is there, embed.device = "auto" goes on with the processor'
)


def load_openvino(
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
    ran = _OPENVINO_RAN[compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()]
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
