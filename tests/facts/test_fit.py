"""Whether a fact tells what a question asks for."""

import pytest
from tests.rows import rows

from quipu.facts.fit import is_asked_for
from quipu.question import read_question
from quipu.records.record import Fact


def _fact(subject: str, predicate: str, value: str) -> Fact:
    return Fact(
        fact_id="fa_1",
        subject=subject,
        predicate=predicate,
        object=value,
        updated_at="2025-01-01T00:00:00.000Z",
        source_sha="0" * 64,
    )


@pytest.mark.parametrize(
    ("question", "fact", "told"),
    rows(__file__, "a_fact_answers_what_it_tells"),
)
def test_a_fact_answers_what_it_tells(
    question: str, fact: tuple[str, str, str], told: bool
) -> None:
    assert is_asked_for(read_question(question), _fact(*fact)) is told
