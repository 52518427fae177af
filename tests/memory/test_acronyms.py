"""An acronym that a text defines is what it stands for, wherever it is written."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.memory import Memory
from quipu.question import read_question

Open = Callable[..., Memory]
DEFINES = "The Payment Service Team (PST) is led by Eva Gray since 2020."


@pytest.fixture(params=["memory:", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, open_memory: Open) -> Iterator[Memory]:
    url = "memory:" if request.param == "memory:" else tmp_path / "m.db"
    with open_memory(url, tmp_path, embedder=None) as opened:
        opened.add("PST moved to Porto. It was a long way.", source_ref="b.md", title="b")
        opened.add("Bananas grow in warm places.", source_ref="c.md", title="c")
        yield opened


def test_facts_of_the_name_answer_for_the_acronym(memory: Memory) -> None:
    memory.add(DEFINES, source_ref="a.md", title="a")
    assert [fact.subject for fact in memory.facts(predicate="is led by")] == [
        "Payment Service Team"
    ]
    found = memory.facts.find("Who is PST led by?")
    assert found.known
    assert found.matches[0].standing.fact.object == "Eva Gray"


def test_a_word_with_the_letters_of_an_acronym_is_not_it(memory: Memory) -> None:
    memory.add("The Salt and Lime Trust (SALT) is led by Eva Gray.", source_ref="a.md", title="a")
    assert memory.graph_for(read_question("Who buys Salt?")) is memory.store
    assert memory.graph_for(read_question("who leads salt?")) is not memory.store
    assert memory.graph_for(read_question("Who leads SALT?")) is not memory.store
    assert memory.graph_for(read_question("Who leads the Salt and Lime Trust?")) is not memory.store
