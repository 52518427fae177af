"""What planning and retrieval both ask for: computed once, remembered for a while."""

from threading import Lock
from weakref import WeakKeyDictionary

from quipu.ports import Embedded, Embedder, Planner

__all__ = ["question_vectors", "spaces_of"]

_REMEMBERED = 256
_lock = Lock()
_vectors: WeakKeyDictionary[Embedder, dict[str, Embedded]] = WeakKeyDictionary()
_spaces: WeakKeyDictionary[Planner, tuple[int, dict[str, int], int]] = WeakKeyDictionary()


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


def spaces_of(planner: Planner) -> tuple[dict[str, int], int]:
    """The embedding spaces with how many chunks each holds, and how many chunks there are.

    Counting reads a whole index, so the counts are remembered until the store changes.
    """
    sequence = planner.sequence()
    with _lock:
        known = _spaces.get(planner)
    if known is None or known[0] != sequence:
        spaces = planner.spaces()
        known = (sequence, spaces, planner.counts({"chunk"})["chunk"] if spaces else 0)
        with _lock:
            _spaces[planner] = known
    return known[1], known[2]
