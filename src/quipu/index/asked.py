"""What planning and retrieval both ask for: computed once, remembered for a while."""

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from weakref import WeakKeyDictionary

from quipu.ports import Embedded, Embedder, Planner

__all__ = ["begin_vectors", "count_chunks", "known_vectors", "question_vectors", "spaces_of"]

_REMEMBERED = 256
_lock = Lock()
_pool = ThreadPoolExecutor(4, thread_name_prefix="quipu-question")
_vectors: WeakKeyDictionary[Embedder, dict[str, Future[Embedded]]] = WeakKeyDictionary()
_Counted = tuple[int, dict[str, int], int]
_spaces: WeakKeyDictionary[Planner, dict[frozenset[str], _Counted]] = WeakKeyDictionary()


def question_vectors(embedder: Embedder, question: str) -> Embedded:
    """The question's vector and those of its windows of six tokens; the last few hundred
    questions of each embedder are remembered."""
    return begin_vectors(embedder, question)()


def begin_vectors(embedder: Embedder, question: str) -> Callable[[], Embedded]:
    """Begin to embed a question beside what else is done. The result waits for the vectors and
    gives them, or raises what embedding raised.

    A model computes outside of Python: words and names are looked up meanwhile.
    """
    with _lock:
        known = _vectors.setdefault(embedder, {})
        future = known.get(question)
        if future is None:
            while len(known) >= _REMEMBERED:
                del known[next(iter(known))]
            future = known[question] = _pool.submit(embedder.embed_windows, question)

    def result() -> Embedded:
        try:
            return future.result()
        except BaseException:
            with _lock:
                if known.get(question) is future:
                    del known[question]
            raise

    return result


def known_vectors(embedder: Embedder, question: str) -> Embedded | None:
    """What `question_vectors` has already; it does not wait and does not embed."""
    with _lock:
        future = _vectors.get(embedder, {}).get(question)
    if future is None or not future.done() or future.exception() is not None:
        return None
    return future.result()


def spaces_of(
    planner: Planner, profiles: frozenset[str] = frozenset()
) -> tuple[dict[str, int], int]:
    """The embedding spaces with how many chunks each holds, and how many chunks there are; of
    the `profiles`, if any are named.

    Counting reads a whole index, so the counts are remembered until the store changes.
    """
    sequence = planner.sequence()
    with _lock:
        counted = _spaces.setdefault(planner, {})
        known = counted.get(profiles)
    if known is None or known[0] != sequence:
        spaces = planner.spaces(profiles)
        known = (sequence, spaces, count_chunks(planner, profiles) if spaces else 0)
        with _lock:
            counted[profiles] = known
    return known[1], known[2]


def count_chunks(planner: Planner, profiles: Collection[str]) -> int:
    """How many chunks there are; of the `profiles`, if any are named."""
    if not profiles:
        return planner.counts({"chunk"})["chunk"]
    return sum(count for profile, count in planner.profiles().items() if profile in profiles)
