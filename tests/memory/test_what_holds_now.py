"""What people say, and later say otherwise: what holds now, what held then, and no since when."""

from collections.abc import Iterator

import pytest

from quipu.embed import MiniLM
from quipu.memory import Memory

pytestmark = pytest.mark.model

SAID = (
    ("2026-01-05", "Dana lives in Rome."),
    ("2026-01-06", "The ledger runs on MySQL since 2021."),
    ("2026-01-07", "The shop uses RabbitMQ."),
    ("2026-01-09", "The team standup is at 9:45."),
    ("2026-01-10", "The maintainer of the reconciler is Hana."),
    ("2026-01-11", "I drink two cups of coffee a day."),
    ("2026-01-12", "Kwame's travel budget is 1.5k."),
    ("2026-01-12", "Yolanda's travel budget is 3k."),
    ("2026-05-05", "Dana lives in Milan."),
    ("2026-05-06", "The ledger runs on Postgres since May 2025."),
    ("2026-05-07", "The shop switched from RabbitMQ to Kafka."),
    ("2026-05-09", "The team standup was moved to 10:15."),
    ("2026-05-10", "The maintainer of the reconciler is Lotte."),
    ("2026-05-11", "I drink one cup of coffee a day."),
    ("2026-05-12", "Yolanda's travel budget is now 2k."),
)
ASKED = (
    ("Where does Dana live?", "Dana lives in Milan (since 5 May 2026)"),
    ("Does Dana still live in Rome?", "No: Dana lives in Milan (since 5 May 2026)"),
    ("Where did Dana live in February 2026?", "Dana lives in Rome (from 5 Jan 2026 to 5 May 2026)"),
    ("Does the ledger run on MySQL?", "No: the ledger runs on Postgres (since May 2025)"),
    ("Does the shop still use RabbitMQ?", "No: the shop uses Kafka (since 7 May 2026)"),
    ("Who maintains the reconciler?", "The reconciler's maintainer is Lotte"),
    ("What time is the standup?", "10:15"),
    ("What is Yolanda's travel budget?", "2k"),
    ("What is Kwame's travel budget?", "1.5k"),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open(
        "memory:", embedder=MiniLM(threads=1), clock=lambda: "2026-06-20T12:00:00.000Z"
    ) as opened:
        for place, (day, text) in enumerate(SAID):
            opened.add(text, observed_at=day, source_ref=f"note:{place}")
        yield opened


@pytest.mark.parametrize(("question", "answer"), ASKED, ids=[question for question, _ in ASKED])
def test_what_holds_is_answered(memory: Memory, question: str, answer: str) -> None:
    reply = memory.ask(question)
    assert answer in reply.contract.answer
    assert reply.confidence.value >= 0.7


def test_what_was_replaced_is_marked_whichever_way_it_is_found(memory: Memory) -> None:
    (old,) = [hit for hit in memory.search("The shop uses RabbitMQ").hits if "uses" in hit.text]
    assert old.temporal_context is not None
    assert old.temporal_context.superseded_by is not None


def test_of_what_is_counted_the_last_count_holds(memory: Memory) -> None:
    live = [fact.object for fact in memory.facts("user", "drinks", live=True)]
    assert live == ["one cup of coffee a day"]


def test_owners_never_mix(memory: Memory) -> None:
    held = {f.subject: f.object for f in memory.facts(predicate="travel budget", live=True)}
    assert held == {"Kwame": "1.5k", "Yolanda": "2k"}
