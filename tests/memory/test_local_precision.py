"""A memory keeps the precision of the vectors that it holds until it is embedded anew."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from quipu.config import Config, EmbedConfig
from quipu.embed.minilm import Precision, precision_of
from quipu.errors import MissingModel
from quipu.memory import Memory

pytestmark = pytest.mark.model

Open = Callable[..., Memory]
QUESTION = "When does the ferry leave?"
TEXTS = ("The ferry leaves at seven.", "The bakery opens at six.", "The court meets on Mondays.")
EXACT = "quipu.embed.minilm._sums_are_exact"


@pytest.fixture(autouse=True)
def _a_fast_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EXACT, lambda: True)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the memory of this test with a precision."""
    with ExitStack() as stack:

        def open_memory(precision: Precision = "auto") -> Memory:
            embed = EmbedConfig(precision=precision, threads=1, cache_mb=0)
            path = tmp_path / ".quipu" / "quipu.db"
            memory = stack.enter_context(Memory.open(path, config=Config(embed=embed)))
            try:
                memory.models.require()
            except MissingModel as error:
                pytest.skip(str(error))
            return memory

        yield open_memory


def add(memory: Memory, texts: tuple[str, ...]) -> None:
    for text in texts:
        memory.add(text, source_ref=text)


def held(memory: Memory) -> dict[str | None, int]:
    return {precision_of(space): n for space, n in memory.store.spaces().items() if n}


def test_a_new_memory_takes_what_is_fastest_here(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(opened(), TEXTS)
    assert held(opened()) == {"int8": 3}
    monkeypatch.setattr(EXACT, lambda: False)
    opened().forget(TEXTS)
    assert not held(opened())
    add(opened(), TEXTS)
    assert held(opened()) == {"fp32": 3}


def test_vectors_in_fp32_stay_until_they_are_made_anew(opened: Open) -> None:
    add(opened("fp32"), TEXTS[:2])
    memory, other = opened(), opened()
    add(memory, TEXTS[2:])
    assert held(memory) == {"fp32": 3}
    found = memory.search(QUESTION)
    assert precision_of(found.plan.space or "") == "fp32"
    assert not found.plan.notes
    assert memory.stats().unembedded == 0

    report = memory.reindex()
    assert (precision_of(report.space), report.embedded) == ("int8", 3)
    assert held(memory) == {"int8": 3}
    for each in (memory, other):
        assert precision_of(each.search(QUESTION).plan.space or "") == "int8"
    assert other.index().embedded == 0
