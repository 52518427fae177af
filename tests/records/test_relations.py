"""All that is known of a relation type is its row, and each stage goes by it."""

import re

import pytest

from quipu.answer.wording import explained, verb
from quipu.question import read_question
from quipu.question.asked_for import asks_for
from quipu.read.front_matter import relations_from, relations_of, thing_of
from quipu.records.authority import governed
from quipu.records.record import Fact
from quipu.records.schema import (
    EntityType,
    RelationType,
    directed,
    row_of,
    wrong_end,
)
from quipu.text import stems

WITH_ROW = [each for each in RelationType if each.row != row_of("UNKNOWN")]


@pytest.mark.parametrize("kind", RelationType)
def test_every_type_can_be_asked_for_and_said(kind: RelationType) -> None:
    assert verb(kind, 1)
    row = kind.row
    for pattern in (row.outward, row.inward):
        re.compile(pattern)
    for word in f"{row.words} {row.also}".split():
        asked = f"{word} zebra"
        assert explained(read_question(asked), "", kind) == 1 - 1 / len(set(stems(asked)))


@pytest.mark.parametrize("kind", [each for each in WITH_ROW if each.row.outward])
def test_a_type_with_patterns_is_asked_for_by_them_alone(kind: RelationType) -> None:
    assert asks_for("Is the moon made of cheese?", kind) == (False, False)


@pytest.mark.parametrize("kind", [each for each in RelationType if each.row.keys])
def test_a_key_of_front_matter_states_its_type(kind: RelationType) -> None:
    row = kind.row
    page = thing_of("service", {}, "Payments")
    assert page is not None
    for key in row.keys:
        (stated,) = relations_of({key: "Somebody"}, {})
        assert (stated.type, stated.target_type, stated.create) == (
            kind,
            row.target or "",
            row.creates,
        )
        assert bool(relations_from(page, [stated])) is not row.of_page


@pytest.mark.parametrize("kind", RelationType)
def test_a_fact_that_says_the_same_is_governed_with_its_type(kind: RelationType) -> None:
    assert not kind.row.predicates or kind.row.governed
    for predicate in kind.row.predicates:
        fact = Fact(
            fact_id="f",
            subject="a",
            predicate=predicate,
            object="b",
            updated_at="2026-01-01T00:00:00.000Z",
            source_sha="s",
        )
        assert governed(fact) == kind


@pytest.mark.parametrize("kind", RelationType)
def test_a_type_ties_what_its_row_allows_and_what_is_custom(kind: RelationType) -> None:
    row = kind.row
    for source in EntityType:
        for target in EntityType:
            fits = [
                not allowed or each in allowed or each == EntityType.CUSTOM
                for each, allowed in ((source, row.sources), (target, row.targets))
            ]
            wrong = None if all(fits) else ("target" if fits[0] else "source")
            assert wrong_end(kind, source, target) == wrong


def test_a_relation_that_is_written_the_other_way_round_is_turned() -> None:
    assert directed("SUPERSEDED_BY", "old", "new") == ("SUPERSEDES", "new", "old")
    assert directed("SUPERSEDES", "new", "old") == ("SUPERSEDES", "new", "old")
    inverses = {kind.row.inverse for kind in RelationType} - {""}
    assert inverses.isdisjoint(set(map(str, RelationType)))
