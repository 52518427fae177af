"""Whether a fact tells what a question asks for."""

import pytest

from quipu.facts.fit import is_asked_for, is_of_another
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
        ("Which editor does Ann use?", ("Ann", "uses", "Helix"), True),
    ],
)
def test_a_fact_answers_what_it_tells(
    question: str, fact: tuple[str, str, str], told: bool
) -> None:
    assert is_asked_for(question, _fact(*fact)) is told


@pytest.mark.parametrize(
    ("question", "fact", "another"),
    [
        ("Who is my boss?", ("user's wife", "boss", "Mr Petit"), True),
        ("Who is my wife's boss?", ("user's wife", "boss", "Mr Petit"), False),
        ("Where do I live?", ("user's dad", "lives in", "Metz"), True),
        ("Where do I live?", ("Ann", "lives in", "Porto"), True),
        ("Where do I live?", ("Dana", "lives in", "Rome"), False),  # who speaks
        ("Where does my sister live?", ("Ann", "lives in", "Porto"), False),  # she may be
        ("Who lives in Metz?", ("user's dad", "lives in", "Metz"), False),
        ("Who owns the scheduler?", ("router", "is owned by", "Tomás"), True),
        ("Who owns the router?", ("router", "is owned by", "Tomás"), False),
        ("What does Tomás own?", ("router", "is owned by", "Tomás"), False),
        ("What is the cursor size in the lab?", ("cursor size in production", "value", "9"), True),
        ("What is the cursor size?", ("cursor size in production", "value", "9"), False),
    ],
)
def test_what_is_of_another_is_told_apart(
    question: str, fact: tuple[str, str, str], another: bool
) -> None:
    told = _fact(*fact)
    told.provenance["speaker"] = "Dana"
    assert is_of_another(question, told) is another


def test_what_the_same_turn_names_is_not_another() -> None:
    fact = _fact("router", "is owned by", "Tomás")
    assert is_of_another("Who owns the scheduler?", fact)
    assert not is_of_another("Who owns the scheduler?", fact, "It came with the scheduler.")
