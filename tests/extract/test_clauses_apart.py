"""Long sentences are read as the clauses that stand for themselves, and chat without capitals."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.grammar import parse_apart
from quipu.extract.statements import read_statements

pytestmark = pytest.mark.model
SAID = "2026-11-05T10:00:00.000Z"


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
        ("search", "runs with", "4 shards"),
        ("we", "cache", "Redis"),
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
        ("The rent's 950 a month.", ("rent", "value", "950 a month")),
        ("The launch date's 12 June.", ("launch date", "value", "12 June")),
        ("The pressure is 2e-10 mbar.", ("pressure", "value", "2e-10 mbar")),
    ],
)
def test_what_is_shortened_is_a_verb(
    encoder: MiniLM, text: str, expected: tuple[str, str, str]
) -> None:
    assert _read(encoder, text) == [expected]


STATED = [
    ("Orders must be in by 11:00.", ("orders", "must be in by", "11:00")),
    ("I have to be back on 30 April.", ("Ann", "must be back on", "30 April")),
    ("I'm lead pharmacist.", ("Ann", "works as", "lead pharmacist")),
    ("I've become head of the workshop.", ("Ann", "works as", "head of the workshop")),
    ("not yet, I charge it at the Co-op.", ("Ann", "charges it at", "the Co-op")),
    ("From now on the hourly rate is 78.", ("hourly rate", "value", "78")),
    ("The new rep is some Leon.", ("rep", "is", "some Leon")),
    ("The fair is on 19 June in Bodmin.", ("fair", "is in", "Bodmin")),
    ("We've put the top field under clover.", ("top field", "is under", "clover")),
    ("The top field's down to barley.", ("top field", "is down to", "barley")),
    ("The fee goes up next season to 920.", ("fee", "value", "920")),
    ("The laser was turned down from 40 to 25 mW.", ("laser", "value", "25 mW")),
    ("The gateway is capped at max_conn=200.", ("gateway", "value", "max_conn=200")),
    ("Limit capped at 5.", ("limit", "value", "5")),
    ("Ann's exam got pushed to 22 January.", ("Ann", "exam", "22 January")),
    ("The plan costs 15 a month.", ("plan", "costs", "15 a month")),
    ("The robot jams twice a shift.", ("robot", "jams on", "twice a shift")),
    ("The trucks go to door 9.", ("trucks", "goes to", "door 9")),
    (
        "Dr Tan has agreed to step in as second supervisor.",
        ("second supervisor", "value", "Dr Tan"),
    ),
    ("Robot: it runs on firmware 4.1.", ("Robot", "runs on", "firmware 4.1")),
    ("Next, the door code: 4471.", ("door code", "value", "4471")),
    ("Marnie 600, Duc 450.", ("Duc", "value", "450")),
    ("Mine is plot 17 and Sunil's is 22.", ("Ann", "plot", "plot 17")),
    ("Mine is plot 17 and Sunil's is 22.", ("Sunil", "plot", "22")),
    ("Tom wants me to eat meat but I'm a vegetarian.", ("Ann", "diet", "vegetarian")),
    ("And that I'm vegetarian, for the trip.", ("Ann", "diet", "vegetarian")),
    (
        "Greta is my main supervisor and the second one is Dr Ferro.",
        ("Ann", "second supervisor", "Dr Ferro"),
    ),
    ("We agreed that the rent is 900, and that Tom pays for power.", ("rent", "value", "900")),
    (
        "The free tier, which nobody uses, goes to 40 invoices.",
        ("free tier", "value", "40 invoices"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), STATED, ids=[f"{e[0]}: {t}" for t, e in STATED])
def test_what_is_stated_is_read(encoder: MiniLM, text: str, expected: tuple[str, str, str]) -> None:
    assert expected in _read(encoder, text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("We're living in Penryn at the moment.", "moment"),
        ("Ticket price is now 12, children 7.", "12, children 7"),
        ("Hanna is vegetarian but her kids aren't.", "not diet"),
        ("I raised the free tier to 40 invoices from May.", "May"),
        ("The swimming moved from Wednesday to Friday, same time.", "same time"),
    ],
)
def test_what_stands_beside_it_is_not_told(encoder: MiniLM, text: str, wrong: str) -> None:
    read = _read(encoder, text)
    assert read
    assert not any(wrong in each for each in read)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("My vet is Tom Prosser, who lives in Rome.", ("Tom Prosser", "lives in", "Rome")),
        ("My vet is Tom Prosser, who lives in Rome.", ("Ann", "vet", "Tom Prosser")),
        ("We hired Rhona, who's in on Mondays.", ("Rhona", "is in on", "Mondays")),
        (
            "Payments go through the ledger, which runs on MySQL 5.7, and the port is 8080.",
            ("ledger", "runs on", "MySQL 5.7"),
        ),
        ("I met Otto from Kiel, who lives in Rome.", ("Otto", "lives in", "Rome")),
    ],
)
def test_what_tells_more_of_something_is_read_of_it(
    encoder: MiniLM, text: str, wanted: tuple[str, str, str]
) -> None:
    assert wanted in _read(encoder, text)


@pytest.mark.parametrize(
    "text",
    [
        "If you see Rhona, who lives in Rome, the limit is 5.",
        "Is it Rhona, who lives in Rome?",
        "We hired somebody, who lives in Rome.",
        "It costs a fortune, which is in Rome a scandal.",
    ],
)
def test_what_tells_more_of_nobody_known_is_not_read(encoder: MiniLM, text: str) -> None:
    assert not any("Rome" in each[2] for each in _read(encoder, text))


@pytest.mark.parametrize(
    "text",
    [
        "Otto, a quick question.",
        "Rhona, my sister, and Otto live in Rome.",
        "I met Rhona, a friend and Otto.",
        "On Monday, the last day of term, I swim.",
        "Is Rhona, my boss, in Rome?",
        'He said "Rhona, a nurse, is here".',
    ],
)
def test_several_things_and_a_call_are_nothing_told(encoder: MiniLM, text: str) -> None:
    found = _read(encoder, text)
    assert not any(predicate in ("is", "boss", "sister", "value") for _, predicate, _ in found)
