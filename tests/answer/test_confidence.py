"""Confidence is the documented formula, with sensible signs and neutral gaps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.confidence import (
    GENERAL,
    PROSE,
    QUOTED,
    confidence,
    value_of,
    weaknesses,
)
from quipu.answer.contract import ASSERT_ABOVE
from quipu.answer.gate import AnswerDraft, Evidence
from quipu.kinds.conversations.answer import ANSWERING

NOW = "2026-11-22T01:05:00.000Z"
EVIDENCE = Evidence(
    id="ch_1",
    document_id="en_1",
    path="a.md",
    start_line=1,
    end_line=2,
    title="A",
    text="It is so.",
    is_code=False,
    graph_ids=("re_1",),
    updated_at=NOW,
    source_sha="0",
    score=0.9,
    similarity=0.6,
)
DRAFT = AnswerDraft("It is so [1].", (EVIDENCE,), coverage=0.5, similarity=0.6, subject=0.5)
SIGNALS = {"cos1": 0.6, "mslow": 0.5, "miss": 0.1, "nfound": 1.0}


def test_every_input_is_named_and_gaps_are_none() -> None:
    sure = confidence(DRAFT, {}, now=NOW, citations={})
    tables = (*GENERAL.table, *ANSWERING.table, *QUOTED.table, *PROSE.table)
    assert set(sure.inputs) == {term.name for term in tables} | {"plain", "worth", "unborne"}
    assert {"similarity", "freshness", "citation_count", "self_report"} <= set(sure.inputs)
    for name in ("self_report", "score1", *SIGNALS):
        assert sure.inputs[name] is None
    assert sure.inputs["similarity"] == 0.6
    assert sure.inputs["freshness"] == 1.0


def test_the_value_is_the_formula_over_the_inputs() -> None:
    sure = confidence(
        DRAFT, SIGNALS, now=NOW, citations={"en_1": 3}, best_score=0.7, self_report=0.9
    )
    assert sure.inputs["score1"] == pytest.approx(math.log(7 / 3) / math.log(499), abs=1e-6)
    total = GENERAL.intercept + sum(
        t.weight * (t.neutral if (given := sure.inputs[t.name]) is None else given)
        for t in GENERAL.table
    )
    assert sure.value == pytest.approx(1 / (1 + math.exp(-total)), abs=1e-4)
    assert confidence(None, SIGNALS, now=NOW, citations={}).value == 0


def test_a_missing_input_counts_as_its_neutral_value() -> None:
    assert value_of({}) == value_of({term.name: term.neutral for term in GENERAL.table})


@given(
    st.sampled_from(GENERAL.table),
    st.floats(0, 1),
    st.floats(0, 1),
    st.dictionaries(st.sampled_from([t.name for t in GENERAL.table]), st.floats(0, 1)),
)
def test_more_of_an_input_moves_the_value_its_way(
    term: tuple[str, float], one: float, other: float, rest: dict[str, float]
) -> None:
    name, weight = term[0], term[1]
    low, high = sorted((one, other))
    if weight < 0:
        low, high = high, low
    assert value_of(rest | {name: low}) <= value_of(rest | {name: high})


def test_weaknesses_say_what_speaks_against_it() -> None:
    said = weaknesses({"score1": -1.0, "mslow": 0.0, "cos1": 0.9, "unknown_names": 1.0})
    assert said == [
        "the best passage scores low",
        "the question names something that is not known here",
    ]
    assert weaknesses({"cos1": 1.0}) == []


def test_what_is_quoted_has_the_formula_of_its_own_table() -> None:
    inputs = {"worth": 3.6, "similarity": 0.7, "met": 0.9, "score1": 0.8, "margin": 0.4}
    total = QUOTED.intercept + sum(t.weight * inputs.get(t.name, t.neutral) for t in QUOTED.table)
    assert value_of(inputs) == pytest.approx(1 / (1 + math.exp(-total)), abs=1e-4)
    assert weaknesses(inputs | {"margin": 0.0, "score1": 0.0})[0].startswith(
        "the lines of another passage"
    )
    assert value_of(inputs | {"plain": 1.0}) < value_of(inputs)
    assert value_of(inputs | {"plain": 1.0, "met": 1.0, "score1": 1.0}) < ASSERT_ABOVE
