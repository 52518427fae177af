"""A question in words → the fact that answers it."""

from collections.abc import Callable, Iterator

import pytest
from tests.rows import rows

from quipu.errors import UnknownRecord
from quipu.facts.find import FactsFound, find_facts
from quipu.memory import Memory
from quipu.question import read_question
from quipu.records.passage import PassageInput
from quipu.records.scope import Scope

NOW = "2026-05-20T10:00:00.000Z"
STATEMENTS = dict(rows(__file__, "find_facts_statements"))


@pytest.fixture(scope="module")
def told(
    open_memory: Callable[..., Memory], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    with open_memory("memory:", tmp_path_factory.mktemp("told"), embedder=None) as memory:
        _tell(memory)
        yield memory


def _tell(memory: Memory) -> None:
    memory.add_documents(
        PassageInput(source_ref=ref, text=text, source_type="crawl")
        for ref, text in STATEMENTS.items()
    )


def _ask(memory: Memory, question: str) -> FactsFound:
    return find_facts(read_question(question), memory.store, None, now=NOW)


@pytest.mark.parametrize(
    ("question", "ref"),
    rows(__file__, "the_fact_that_answers_comes_first"),
)
def test_the_fact_that_answers_comes_first(told: Memory, question: str, ref: str) -> None:
    found = _ask(told, question)
    assert found.matches[0].source_ref == ref


def _told_with_rivals(memory: Memory) -> None:
    """Many passages that say the question better than the one that supersedes does."""
    _tell(memory)
    where = "Eva Gray lives in Oslo since May 2018."
    memory.add_documents(
        PassageInput(source_ref=f"n{n}", text=f"{where} Note {n}.", source_type="crawl")
        for n in range(150)
    )
    later = "Eva Gray lives in Lima since May 2022."
    story = " ".join(f"Word{n} was said of thing{n}." for n in range(400))
    memory.add_documents(
        [PassageInput(source_ref="l3", text=f"{later} {story}", source_type="press")]
    )


def test_what_is_said_elsewhere_still_supersedes(memory: Memory) -> None:
    _told_with_rivals(memory)
    found = _ask(memory, "Where does Eva Gray live?")
    assert found.matches[0].source_ref == "l3"
    assert {m.standing.superseded_by is None for m in found.matches[1:]} == {False}


def test_what_a_scope_hides_supersedes_nothing(memory: Memory) -> None:
    _told_with_rivals(memory)
    scope = Scope(source_types=frozenset({"crawl"}))
    found = find_facts(
        read_question("Where does Eva Gray live?"), memory.store, None, now=NOW, scope=scope
    )
    first = found.matches[0]
    assert (first.standing.fact.object, first.standing.superseded_by) == ("Oslo", None)
    assert "l3" not in {match.source_ref for match in found.matches}


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("Where did Eva Gray live in 2012?", True),
        ("Where did Eva Gray live in 1950?", False),
        ("Where did Eva Stone live in 2012?", False),
        ("What is the price of tin?", False),
    ],
)
def test_it_is_told_whether_the_answer_is_known(told: Memory, question: str, known: bool) -> None:
    assert _ask(told, question).known is known


def test_a_fact_goes_with_its_source(memory: Memory) -> None:
    _tell(memory)
    memory.forget("l2")
    (first, *_) = _ask(memory, "Where does Eva Gray live?").matches
    assert (first.source_ref, first.standing.valid_to) == ("l1", None)


def test_a_name_that_only_facts_know_leads_to_them(told: Memory) -> None:
    with pytest.raises(UnknownRecord, match="'Dee Fox' is known by facts alone: `quipu facts"):
        told.get("Dee Fox")
