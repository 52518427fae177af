"""A question's vectors, computed once for planning and once more never."""

from threading import Lock
from weakref import WeakKeyDictionary

from quipu.ports import Embedded, Embedder

__all__ = ["question_vectors"]

_REMEMBERED = 256
_lock = Lock()
_vectors: WeakKeyDictionary[Embedder, dict[str, Embedded]] = WeakKeyDictionary()


def question_vectors(embedder: Embedder, question: str) -> Embedded:
    """The question's vector and those of its windows of six tokens; the last few hundred
    questions of each embedder are remembered."""
    with _lock:
        known = _vectors.setdefault(embedder, {})
        found = known.get(question)
    if found is None:
        found = embedder.embed_windows(question)
        with _lock:
            while len(known) >= _REMEMBERED:
                del known[next(iter(known))]
            known[question] = found
    return found
