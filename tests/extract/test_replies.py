"""A short reply is read with the question that it answers."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import Said, Spoken, Statement, read_statements

pytestmark = pytest.mark.model


def _said(encoder: MiniLM, question: str, reply: str) -> list[Statement]:
    spoken = Spoken()
    for speaker, text in (("Ann", question), ("Bob", reply)):
        read = read_statements(
            text,
            speaker=speaker,
            observed_at="2026-05-01T10:00:00.000Z",
            layers=encoder.read,
            spoken=spoken,
        )
    return read


def _facts(encoder: MiniLM, question: str, reply: str) -> list[tuple[str, str, str]]:
    return [(s.subject, s.predicate, s.object) for s in _said(encoder, question, reply)]


@pytest.mark.parametrize(
    ("question", "reply", "fact"),
    [
        ("Which port does the broker listen on?", "7171.", ("broker", "listens on", "port 7171")),
        ("And the deposit?", "300", ("deposit", "value", "300")),
        ("What's the quota of the archive these days?", "40 GB", ("archive", "quota", "40 GB")),
        ("Where do you live now?", "Turku", ("Bob", "lives in", "Turku")),
        ("Who owns the importer?", "Leena does.", ("importer", "is owned by", "Leena")),
        ("who's on call this week?", "Me, as ever.", ("Bob", "is on", "call")),
        ("How many shards does the index have?", "Twelve", ("index", "has", "Twelve shards")),
        ("How old is Tuomas now?", "he's nine", ("Tuomas", "age", "nine")),
        ("What will the hall be?", "Ochre.", ("hall", "is", "Ochre")),
        ("Which CI are we on, still Jenkins?", "No, Buildkite.", ("we", "uses", "Buildkite")),
        ("When is the fair?", "On 3 May, if it stays dry", ("fair", "value", "3 May")),
        ("Do you have a date in mind?", "3 July.", ("date", "value", "3 July")),
        ("What's your cat called?", "It's Muru.", ("Bob", "cat", "Muru")),
    ],
)  # fmt: skip
def test_it_says_what_was_asked_for(
    encoder: MiniLM, question: str, reply: str, fact: tuple[str, str, str]
) -> None:
    assert fact in _facts(encoder, question, reply)


def test_yes_states_what_was_asked_and_no_ends_what_still_was(encoder: MiniLM) -> None:
    (yes,) = _said(encoder, "Does the importer run on Go?", "Yep.")
    assert (yes.subject, yes.predicate, yes.object) == ("importer", "runs on", "Go")
    (no,) = _said(encoder, "Does the importer still run on Go?", "Nope")
    assert (no.object, no.valid_from, no.valid_to) == ("Go", None, "2026-05-01")


def test_it_is_what_the_question_spoke_of(encoder: MiniLM) -> None:
    assert _facts(encoder, "Which port does the broker use?", "It listens on 7171.") == [
        ("broker", "listens on", "7171")
    ]


def test_it_stands_in_the_reply(encoder: MiniLM) -> None:
    read = _said(encoder, "Which port?", "7171. Why do you ask?")
    assert [(s.start, s.end) for s in read] == [(0, 5)]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Which port does the broker listen on?", "Good question!"),
        ("Which port does the broker listen on?", "No idea, ask Leena."),
        ("Which port does the broker listen on?", "7171?"),
        ("Should I set the limit to 40?", "Yes."),
        ("Does the importer run on Go?", "No."),
        ("Would you live in Turku?", "Yes"),
        ("How was your weekend?", "Lovely, thanks."),
        ("What's your plan for the summer?", "Thanks, Ann!"),
        ("Do you have a favourite pose?", "Hey Ann! Hard to say."),
        ("Do you ever play anything?", "Yes"),
        ("What will you do?", "In the morning, I hope."),
    ],
)
def test_what_answers_nothing_says_nothing(encoder: MiniLM, question: str, reply: str) -> None:
    assert _facts(encoder, question, reply) == []


def test_only_another_speaker_replies(encoder: MiniLM) -> None:
    spoken = Spoken()
    spoken.hear(Said("Bob", "Which port does the broker listen on?"))
    read = read_statements("7171.", speaker="Bob", layers=encoder.read, spoken=spoken)
    assert read == []
