"""Text to vectors: the local model (`minilm`), its weights (`weights`, `fetch`) and a cache.

Nothing heavy is imported here: ONNX Runtime and the tokenizer load with the first `MiniLM`.
"""

from quipu.embed.minilm import MiniLM
from quipu.embed.weights import ModelFiles, find_model

__all__ = ["MiniLM", "ModelFiles", "find_model"]
