"""The store that a labelled set is written into: thrown away, or kept for the same set."""

import hashlib
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from quipu.evaluate.dataset import CORPUS

__all__ = ["Opening", "Progress", "WriteReport", "WriteTimes", "written"]

Progress: TypeAlias = Callable[[str, int, int], None]

_DATABASE = "evaluation.db"
_DIGEST_LENGTH = 12

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)


class WriteReport(Protocol):
    """What is read of the report of a bulk write."""

    @property
    def embed_seconds(self) -> float: ...


class Opening(Protocol[M_co]):
    """Opens a memory at the path of a SQLite file."""

    def __call__(self, path: str, /) -> AbstractContextManager[M_co]: ...


class WriteTimes(NamedTuple):
    """How long it took, in seconds: the writing without embedding, and the embedding."""

    index_s: float
    embed_s: float


@contextmanager
def written(
    directory: Path,
    open_memory: Opening[M],
    write: Callable[[M, Path], WriteReport],
    *,
    folder: Path | None = None,
    key: str = "",
) -> Generator[tuple[M, WriteTimes], None, None]:
    """A memory that holds the corpus of `directory` and nothing else, and how long that took.

    `write` is given the memory and a folder for files of its own. `folder` keeps the store, in a
    folder named by the bytes of the corpus, the version of Quipu and `key` (what else decides the
    records), so that only a run over the same set finds it; without one it is thrown away.
    """
    with _place(directory, folder, key) as place, open_memory(str(place / _DATABASE)) as memory:
        start = time.perf_counter()
        report = write(memory, place)
        wrote_s = time.perf_counter() - start
        index_s = max(wrote_s - report.embed_seconds, 0.0)
        yield memory, WriteTimes(round(index_s, 3), round(report.embed_seconds, 3))


@contextmanager
def _place(directory: Path, folder: Path | None, key: str) -> Generator[Path, None, None]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="quipu-") as held:
            yield Path(held)
        return
    digest = hashlib.sha256(f"{version('quipu-memory')}\n{key}\n".encode())
    with (directory / CORPUS).open("rb") as corpus:
        while block := corpus.read(1 << 20):
            digest.update(block)
    place = folder / digest.hexdigest()[:_DIGEST_LENGTH]
    place.mkdir(parents=True, exist_ok=True)
    yield place
