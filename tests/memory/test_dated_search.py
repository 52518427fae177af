"""Dated facts in search and answers: what holds comes first, and what disagrees is named."""

from collections.abc import Callable, Iterator

import pytest

from quipu.memory import Memory
from quipu.records.passage import PassageInput

STATEMENTS = {
    "a": "Ada Brown was the chair of the Weavers' Guild from Jan 2001 to Jan 2006.",
    "b": "Bo Lind was the chair of the Weavers' Guild from Jan 2006 to Jan 2015.",
    "c": "Zed Zot was the chair of the Weavers' Guild from Jan 2010 to Jan 2012.",
    "d": "Eva Gray lives in Bergen since March 2010.",
    "e": "Eva Gray lives in Oslo since May 2018.",
}


@pytest.fixture(scope="module")
def told(
    open_memory: Callable[..., Memory], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    with open_memory("memory:", tmp_path_factory.mktemp("told"), embedder=None) as memory:
        memory.add_documents(
            PassageInput(source_ref=ref, text=text, source_type="crawl")
            for ref, text in STATEMENTS.items()
        )
        yield memory


@pytest.mark.parametrize(
    ("question", "ref"),
    [
        ("Who was the chair of the Weavers' Guild in 2003?", "a"),
        ("Who was the chair of the Weavers' Guild after Ada Brown?", "b"),
        ("Where does Eva Gray live?", "e"),
        ("Where did Eva Gray live in 2012?", "d"),
    ],
)
def test_the_passage_that_states_the_fact_comes_first(
    told: Memory, question: str, ref: str
) -> None:
    (first, *_) = told.search(question).hits
    assert first.path == ref
    assert first.temporal_context is not None
    assert first.temporal_context.fact_ids[0] in first.graph_ids


def test_without_the_graph_facts_take_no_part(told: Memory) -> None:
    found = told.search("Where did Eva Gray live in 2012?", use_graph=False)
    assert all(hit.temporal_context is None for hit in found.hits)
    plan = told.plan("Where did Eva Gray live in 2012?", mode="documents")
    assert all("graph" not in seed.reasons for seed in plan.seeds)


def test_an_answer_states_what_holds(told: Memory) -> None:
    contract = told.ask("Where did Eva Gray live in 2012?").contract
    assert contract.answer == "Eva Gray lives in Bergen (from Mar 2010 to May 2018) [1]."
    assert contract.evidence[0].file_paths == ("d",)


def test_the_date_of_a_question_is_no_missing_word(told: Memory) -> None:
    """No passage says "2012", and none has to."""
    dated = told.ask("Where did Eva Gray live in 2012?").confidence.value
    missing = told.ask("Where did Eva Gray live in 1950?").confidence.value
    assert dated > 0.7 > missing


def test_an_answer_names_the_disagreement_and_cites_both(told: Memory) -> None:
    contract = told.ask("Who was the chair of the Weavers' Guild in March 2011?").contract
    assert "Zed Zot" in contract.answer.split("Another source")[0]
    assert {item.file_paths[0] for item in contract.evidence} == {"b", "c"}
    assert contract.limitations.startswith("Sources disagree: ")
