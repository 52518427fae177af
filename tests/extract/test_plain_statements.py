"""What plain sentences state, whatever verb states it, and which state nothing."""

import pytest

from quipu.answer.dated_facts import said
from quipu.embed import MiniLM
from quipu.extract.statements import Statement, read_statements
from quipu.records.record import Fact

pytestmark = pytest.mark.model
SAID = "2026-11-05T10:00:00.000Z"


def _read(encoder: MiniLM, text: str) -> list[Statement]:
    return read_statements(text, observed_at=SAID, speaker="user", layers=encoder.read)


def _shown(statement: Statement) -> str:
    held = Fact(
        fact_id="fa_1",
        subject=statement.subject,
        predicate=statement.predicate,
        object=statement.object,
        updated_at=SAID,
        source_sha="0",
        provenance={"rule": statement.rule, "noun": statement.noun},
    )
    return said(held)


STATED = [
    ("My new boss from August is Ayla Demirci, not Piet.", "The user's boss is Ayla Demirci"),
    ("The limit is 50, not 40.", "The limit is 50"),
    ("Production is Noor's.", "The production is owned by Noor"),
    ("I got the hosting budget raised to 1,200 euros.", "The hosting budget is 1,200 euros"),
    ("I came off sertraline last month.", "The user takes sertraline"),
    ("I stopped taking the bus in May.", "The user takes the bus"),
    ("Moved into the flat on Juniper Street.", "The user lives in Juniper Street"),
    ("I'm in Vienna for two weeks.", "The user is in Vienna"),
    ("Sorry, I was wrong: Dana lives in Milan.", "Dana lives in Milan"),
    ("Alex's phone number is +49 170 1234567.", "Alex's phone number is +49 170 1234567"),
    ("The deadline is Friday 12 March 2027.", "The deadline is Friday 12 March 2027"),
    ("The code freeze begins on 20 December.", "The code freeze begins on 20 December"),
    ("My flight leaves at 7:40 on Tuesday.", "The user's flight leaves at 7:40"),
    (
        "My dentist appointment got rescheduled to 11 June.",
        "The user's dentist appointment is 11 June",
    ),
    ("Grandma is 91 now.", "Grandma's age is 91"),
    ("Bruno is six months old.", "Bruno's age is six months"),
    ("I can't eat gluten.", "The user does not eat gluten"),
    ("Sam can't stand olives.", "Sam does not like olives"),
    ("Emre's girlfriend, Pia, is a dentist.", "Pia is a dentist"),
    ("My son's teacher is Ms. Alvarez.", "The user's son's teacher is Ms. Alvarez"),
    ("Rosa changed her surname to Bianchi.", "Rosa's surname is Bianchi"),
    ("We adopted a puppy called Biscuit last weekend.", "Our puppy is Biscuit"),
    ("Logs are kept for 14 days.", "Logs are kept for 14 days"),
    ("We now keep logs for 30 days.", "Logs are kept for 30 days"),
    ("Deployments go through ArgoCD.", "Deployments go through ArgoCD"),
    ("All services log in JSON.", "All services log in JSON"),
    ("Sessions expire after 20 minutes.", "Sessions expire after 20 minutes"),
    ("We store images in S3.", "Images are stored in S3"),
    ("We host the site on Heroku.", "The site runs on Heroku"),
    ("The server room is on the third floor.", "The server room is on the third floor"),
    ("Staging runs Ubuntu 22.04.", "Staging runs Ubuntu 22.04"),
    ("I drive a 2012 Golf.", "The user drives 2012 Golf"),
    ("The maintainer of parser-kit is Olga.", "The parser-kit's maintainer is Olga"),
    (
        "Python 3.10 is the minimum supported version.",
        "The minimum supported version is Python 3.10",
    ),
    ("We require at least Python 3.10.", "We require at least Python 3.10"),
    ("Our budget for Q3 is 40,000 euros.", "Our budget for Q3 is 40,000 euros"),
    ("Don't deploy on Fridays.", "The user instructs do not deploy on Fridays"),
    ("Kafka replaced RabbitMQ in the order pipeline.", "The order pipeline uses Kafka"),
    ("We rewrote the frontend in React.", "The frontend is written in React"),
    ("Tara left Deloitte for KPMG.", "Tara works for KPMG"),
    ("Leo took over as product owner from Ana.", "The product owner is Leo"),
    ("The ledger is audited by Holm & Partners.", "The ledger is audited by Holm & Partners"),
    ("The conference takes place in Vienna.", "The conference takes place in Vienna"),
]


@pytest.mark.parametrize(("text", "sentence"), STATED, ids=[text for text, _ in STATED])
def test_what_is_stated_is_read_back(encoder: MiniLM, text: str, sentence: str) -> None:
    assert sentence in [_shown(statement) for statement in _read(encoder, text)]


UNSTATED = [
    "If the review fails, the launch is on 9 June.",
    "Unless Ann objects, the limit is 50.",
    "I might move to Japan.",
    "If we moved to Postgres, the ledger would be faster.",
    "I wish I lived in Paris.",
    "She asked whether the office had moved to Hamburg.",
    "Ha, and I'm the Queen of England!",
    'The manual says "the default port is 8080".',
    "We were going to use Kafka, but it was too heavy.",
    "I can't find my keys.",
    "I can't come tomorrow.",
    "Don't worry about it.",
    "I read a book about the sea.",
    "I'm always taking notes on her style.",
    "He took a break and a coffee.",
    "Dogs like bones.",
    "I love that one.",
]


@pytest.mark.parametrize("text", UNSTATED)
def test_what_states_nothing_gives_nothing(encoder: MiniLM, text: str) -> None:
    assert _read(encoder, text) == []
