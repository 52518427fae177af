"""Long sentences are read as the clauses that stand for themselves, and chat without capitals."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.grammar import parse_apart
from quipu.extract.statements import read_statements

pytestmark = pytest.mark.model
SAID = "2026-11-05T10:00:00.000Z"


@pytest.fixture(scope="module")
def encoder() -> MiniLM:
    return MiniLM(threads=1)


def _read(encoder: MiniLM, text: str) -> list[tuple[str, str, str]]:
    read = read_statements(text, observed_at=SAID, speaker="Ann", layers=encoder.read)
    return [(each.subject, each.predicate, each.object) for each in read]


def _cut(encoder: MiniLM, text: str) -> list[str]:
    (found,) = parse_apart(text, encoder.read, [(0, len(text))])
    return [text[each.start : each.end] for each in found]


def test_clauses_that_marks_join_are_read_one_by_one(encoder: MiniLM) -> None:
    text = "Search runs on Solr 9 with 4 shards, our cache is Redis, and the queue holds 20 jobs."
    assert _read(encoder, text) == [
        ("search", "runs on", "Solr 9"),
        ("cache", "is", "Redis"),
        ("queue", "holds", "20 jobs"),
    ]


def test_it_is_what_an_earlier_clause_of_the_sentence_spoke_of(encoder: MiniLM) -> None:
    assert ("Ann's number", "value", "0170 5533") in _read(
        encoder, "I have changed my number, so it's 0170 5533 now."
    )


def test_each_of_several_things_done_has_its_own(encoder: MiniLM) -> None:
    text = "Cleared the cache, moved the nightly export from 01:00 to 03:30, and tagged the build."
    assert ("nightly export", "value", "03:30") in _read(encoder, text)


@pytest.mark.parametrize(
    "text",
    [
        "The limit is 5, Tom says.",
        "If the tests pass, the limit is 5, and the port is 8080.",
        "Tom thinks the limit is 5, the port is 8080.",
        "The limit is 5, the port is 8080?",
        '"The limit is 5, the port is 8080", it says.',
        "Ann, Bob and Carl live in Rome.",
        "My sister, who lives in Rome, is a nurse.",
    ],
)
def test_what_hangs_on_another_clause_is_left_with_it(encoder: MiniLM, text: str) -> None:
    assert _cut(encoder, text) == [text]


def test_a_sentence_may_begin_without_a_capital(encoder: MiniLM) -> None:
    assert _read(encoder, "ok. the port is 8080. e.g. see the docs. dana lives in rome") == [
        ("port", "value", "8080"),
        ("dana", "lives in", "rome"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We've 212 ewes.", ("we", "has", "212 ewes")),
        ("The rent's 950 a month.", ("rent", "value", "950")),
        ("The launch date's 12 June.", ("launch date", "value", "12 June")),
        ("The pressure is 2e-10 mbar.", ("pressure", "value", "2e-10 mbar")),
    ],
)
def test_what_is_shortened_is_a_verb(
    encoder: MiniLM, text: str, expected: tuple[str, str, str]
) -> None:
    assert _read(encoder, text) == [expected]
