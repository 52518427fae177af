"""Questions to a memory of a few small files."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from quipu.memory import Memory
from quipu.records.reply import Reply
from quipu.testing.fakes import HashEmbedder


@pytest.fixture(scope="session")
def memory_of(
    write_files: Callable[[Path, Mapping[str, str]], None],
) -> Callable[[Path, Mapping[str, str]], Memory]:
    """A memory of the files that are put into a folder: `memory_of(folder, files)`."""

    def memory_of(folder: Path, files: Mapping[str, str]) -> Memory:
        write_files(folder, files)
        memory = Memory.open("memory:", home=folder, embedder=HashEmbedder(64))
        memory.index([folder])
        return memory

    return memory_of


@pytest.fixture(scope="module")
def ask(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    memory_of: Callable[[Path, Mapping[str, str]], Memory],
) -> Iterator[Callable[[str], Reply]]:
    """Answers questions about the `FILES` of the test's module."""
    with memory_of(tmp_path_factory.mktemp("home"), request.module.FILES) as memory:
        yield memory.ask
