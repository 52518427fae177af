"""What is read as a fact by grammar, and what is not, with the encoder and the shipped weights."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import Statement, read_statements

pytestmark = pytest.mark.model
SAID = "2026-05-01T10:00:00.000Z"
TODAY = "2026-05-01"


def _read(encoder: MiniLM, text: str, speaker: str = "") -> list[Statement]:
    return read_statements(text, observed_at=SAID, speaker=speaker, layers=encoder.read)


STATED = [
    ("Dana lives in Rome.", ("Dana", "lives in", "Rome", TODAY, None)),
    ("I live in Oslo now.", ("user", "lives in", "Oslo", TODAY, None)),
    ("I've been living in Ghent since 2019.", ("user", "lives in", "Ghent", "2019", None)),
    ("I relocated to Berlin last spring.", ("user", "lives in", "Berlin", "2025-03", None)),
    ("The ledger runs on MySQL since 2021.", ("ledger", "runs on", "MySQL", "2021", None)),
    (
        "The ledger runs on Postgres since May 2025.",
        ("ledger", "runs on", "Postgres", "2025-05", None),
    ),
    ("I live in Oslo since September.", ("user", "lives in", "Oslo", "2025-09", None)),
    ("I work at Acme from August.", ("user", "works for", "Acme", "2026-08", None)),
    ("I moved to Oslo in April.", ("user", "lives in", "Oslo", "2026-04", None)),
    ("I'm on call until 4 June.", ("user", "is on", "call", TODAY, "2026-06-04")),
    ("Elin was born in 1991.", ("Elin", "was born", "1991", "1991", None)),
    ("Elin was born on 4 May 1991.", ("Elin", "was born", "4 May 1991", "1991-05-04", None)),
    ("Elin was born in Bergen in 1991.", ("Elin", "is from", "Bergen", "1991", None)),
    ("Rack 3 sits in Frankfurt.", ("Rack 3", "is located in", "Frankfurt", TODAY, None)),
    ("Choir has moved to Tuesday.", ("Choir", "value", "Tuesday", TODAY, None)),
    ("I work for Acme.", ("user", "works for", "Acme", TODAY, None)),
    (
        "I got a new job at Siemens as a test engineer.",
        ("user", "works for", "Siemens", TODAY, None),
    ),
    ("We decided to use Redis.", ("we", "uses", "Redis", TODAY, None)),
    ("We're using Kafka for the event bus.", ("we", "uses", "Kafka", TODAY, None)),
    (
        "Team Blue owns the checkout service.",
        ("checkout service", "is owned by", "Team Blue", TODAY, None),
    ),
    (
        "Nina is now responsible for the invoices API.",
        ("invoices API", "is owned by", "Nina", TODAY, None),
    ),
    (
        "Nina handed the invoices API over to Omar.",
        ("invoices API", "is owned by", "Omar", TODAY, None),
    ),
    ("I'm vegetarian.", ("user", "diet", "vegetarian", TODAY, None)),
    ("I'm allergic to peanuts.", ("user", "is allergic to", "peanuts", TODAY, None)),
    ("The deadline is 4 May 2027.", ("deadline", "value", "4 May 2027", TODAY, None)),
    ("The wedding will be on 21 June instead.", ("wedding", "value", "21 June", TODAY, None)),
    ("The launch is scheduled for 12 June.", ("launch", "value", "12 June", TODAY, None)),
    ("The retry limit is 3.", ("retry limit", "value", "3", TODAY, None)),
    ("We raised the retry limit to 5.", ("retry limit", "value", "5", TODAY, None)),
    ("Correction: the budget is 45k.", ("budget", "value", "45k", TODAY, None)),
    ("Ann's budget is 500 euros.", ("Ann", "budget", "500 euros", TODAY, None)),
    ("My budget is 5k.", ("user", "budget", "5k", TODAY, None)),
    (
        "The budget of the Atlas project is 40,000 euros.",
        ("Atlas project", "budget", "40,000 euros", TODAY, None),
    ),
    ("The doctor increased my dose to 75 mg.", ("user", "dose", "75 mg", TODAY, None)),
    (
        "My dentist appointment has been moved to Thursday.",
        ("user", "dentist appointment", "Thursday", TODAY, None),
    ),
    ("My manager is Greta.", ("user", "manager", "Greta", TODAY, None)),
    ("My new manager is called Priya.", ("user", "manager", "Priya", TODAY, None)),
    (
        "Greta is the manager of the Atlas project.",
        ("Atlas project", "manager", "Greta", TODAY, None),
    ),
    ("My favourite colour is green.", ("user", "favourite colour", "green", TODAY, None)),
    ("I drive a Volvo.", ("user", "drives", "Volvo", TODAY, None)),
    ("I don't drink coffee.", ("user", "not drinks", "coffee", TODAY, None)),
    ("I no longer drink coffee.", ("user", "drinks", "coffee", None, TODAY)),
    ("I stopped eating meat.", ("user", "eats", "meat", None, TODAY)),
    ("I used to live in Rome.", ("user", "lives in", "Rome", None, TODAY)),
    ("I quit my job at Acme.", ("user", "works for", "Acme", None, TODAY)),
    ("Tom teaches maths at a school in Leeds.", ("Tom", "teaches", "maths", TODAY, None)),
    ("Dana, who lives in Rome, is a lawyer.", ("Dana", "is", "a lawyer", TODAY, None)),
]


@pytest.mark.parametrize(("text", "expected"), STATED, ids=[text for text, _ in STATED])
def test_a_plain_sentence_gives_its_fact(
    encoder: MiniLM, text: str, expected: tuple[str, ...]
) -> None:
    found = [s for s in _read(encoder, text) if s.rule != "decision"]
    assert expected in [s[:5] for s in found]
    assert all(text[s.start : s.end] == text for s in found)


CHANGES = [
    ("We switched from Redis to Valkey.", "we", "uses", "Redis", "Valkey"),
    ("Dana moved from Rome to Milan.", "Dana", "lives in", "Rome", "Milan"),
    ("Our office moved from Lyon to Nice.", "office", "is located in", "Lyon", "Nice"),
    ("The retry limit was raised from 3 to 5.", "retry limit", "value", "3", "5"),
    ("The salary cap was lowered from 100k to 90k.", "salary cap", "value", "100k", "90k"),
    (
        "Bob took over the billing service from Alice.",
        "billing service",
        "is owned by",
        "Alice",
        "Bob",
    ),
    ("We use Valkey instead of Redis.", "we", "uses", "Redis", "Valkey"),
    ("Zoe left Initech and joined Hooli.", "Zoe", "works for", "Initech", "Hooli"),
]


@pytest.mark.parametrize(("text", "of", "what", "old", "new"), CHANGES, ids=[c[0] for c in CHANGES])
def test_a_change_ends_the_old_and_begins_the_new(
    encoder: MiniLM, text: str, of: str, what: str, old: str, new: str
) -> None:
    found = {s[:5] for s in _read(encoder, text)}
    assert {(of, what, old, None, TODAY), (of, what, new, TODAY, None)} <= found


UNSTATED = [
    "Do you live in Rome?",
    "Where does Dana live?",
    "I wish I lived in Rome.",
    "I might move to Berlin.",
    "If the budget is approved, we use Redis.",
    "I think we should use Redis.",
    "Maybe we should move to Berlin.",
    "I'd love to visit Japan.",
    "My boss wants me to move to Munich.",
    "I wanted to work for Google.",
    "Imagine I lived on the moon.",
    "She is thinking about leaving Acme.",
    "I thought the deadline was Friday.",
    "According to Tom the limit is 10.",
    "Nobody uses the old dashboard.",
    "Can you remind me to call mum?",
    "She works as a nurse.",
    'He wrote "my budget is 5k and I live in Rome" on the board.',
    "I could work for Acme.",
    "The limit was not raised to 5, sadly.",
    "Unless we switch to Valkey, the limit is 3.",
]


@pytest.mark.parametrize("text", UNSTATED)
def test_what_is_no_statement_gives_no_fact(encoder: MiniLM, text: str) -> None:
    assert _read(encoder, text) == []


def test_the_speaker_is_the_first_person(encoder: MiniLM) -> None:
    (said,) = _read(encoder, "My budget is 700 euros.", speaker="Bob")
    assert (said.subject, said.predicate) == ("Bob", "budget")


def test_a_pronoun_is_who_was_last_spoken_of(encoder: MiniLM) -> None:
    found = _read(encoder, "My sister Ann called. She lives in Bergen.")
    assert ("Ann", "lives in", "Bergen") in [s[:3] for s in found]


def test_what_somebody_is_reported_to_say_keeps_who_said_it(encoder: MiniLM) -> None:
    (said,) = _read(encoder, "Marta told me that the quote cache uses Redis.")
    assert (said.subject, said.object, said.said_by) == ("quote cache", "Redis", "Marta")
    assert said.rule == "reported"


def test_each_of_several_subjects_has_the_fact(encoder: MiniLM) -> None:
    found = _read(encoder, "Bob and Alice live in Paris.")
    assert [s[:3] for s in found] == [
        ("Bob", "lives in", "Paris"),
        ("Alice", "lives in", "Paris"),
    ]


def test_the_same_text_gives_the_same_statements(encoder: MiniLM) -> None:
    text = " ".join(text for text, _ in STATED)
    assert _read(encoder, text) == _read(encoder, text)
