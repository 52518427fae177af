"""Whether a fact tells what a question asks for."""

import pytest

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
    [
        ("Who is my landlord?", ("user", "landlord", "Mr Lind"), True),
        ("Who is my landlord?", ("user's landlord", "is", "Mr Lind"), True),
        ("Who is my landlord?", ("user's landlord", "keeps", "bees"), False),
        ("Who is my landlord?", ("user's landlord", "not picks up", "his phone"), False),
        ("Where does Ann work?", ("Ann", "works as", "sound designer"), False),
        ("Where does Ann work?", ("Ann", "works for", "Corvane"), True),
        ("Where do rehearsals take place?", ("rehearsals", "is", "Wednesdays"), False),
        ("Where do rehearsals take place?", ("rehearsals", "takes place in", "the hall"), True),
        ("How much is the rent?", ("rent", "is", "due"), False),
        ("How much is the rent?", ("rent", "is", "940 a month"), True),
        ("How many hens do we have?", ("we", "has", "four hens"), True),
        ("What do I do for a living?", ("user", "works as", "baker"), True),
        ("Who was on call?", ("payments", "goes by", "Stripe"), False),
        ("What does Ann not eat?", ("Ann", "not eats", "olives"), True),
        ("Who is my boss?", ("user's wife", "boss", "Mr Petit"), False),
        ("Who is my wife's boss?", ("user's wife", "boss", "Mr Petit"), True),
        ("Where do I live?", ("user's dad", "lives in", "Metz"), False),
        ("Where do I live?", ("Ann", "lives in", "Porto"), False),
        ("Who owns the scheduler?", ("router", "is owned by", "Tomás"), False),
        ("Who owns the router?", ("router", "is owned by", "Tomás"), True),
        ("What does Tomás own?", ("router", "is owned by", "Tomás"), True),
        ("What is the cursor size in the lab?", ("cursor size in production", "value", "9"), False),
        ("What is the cursor size?", ("cursor size in production", "value", "9"), True),
        ("Which editor does Ann use?", ("Ann", "uses", "Helix"), True),
    ],
)
def test_a_fact_answers_what_it_tells(
    question: str, fact: tuple[str, str, str], told: bool
) -> None:
    assert is_asked_for(read_question(question), _fact(*fact)) is told
