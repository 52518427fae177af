"""Where the local model runs: on the processor, or on an Nvidia GPU where there is one.

A GPU is optional: `pip install 'quipu-memory[gpu]'`. It multiplies in fp32 (never TF32), so that
its vectors belong to the space of the processor's fp32 and differ from them as those of another
processor do: in the last bits.
"""

from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal

from quipu.errors import MissingExtra

__all__ = ["Device", "providers", "uses_gpu"]

Device = Literal["auto", "cpu", "cuda"]

_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
_ON_CPU = (_CPU,)
_ON_GPU = ((_CUDA, {"use_tf32": "0"}), _CPU)
_SILENT, _WARNINGS = 4, 2


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
