"""A seeded day of agents at work: who says what in which session, and what is asked meanwhile.

Sessions are conversations of a person with an agent, twenty-five exchanges each: questions, tool
events, decisions, preferences, figures that change. Every exchange names a ticket of its own, by
which it is found again. Beside the turns stand entries, as `memory_store` takes them.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from quipu.when.instants import instant

EXCHANGES = 25
_ENTRY_EVERY = 20
_BEGIN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
_WORKDAY = timedelta(hours=10)

_PEOPLE = (
    "Ana Petrov",
    "Bram de Vries",
    "Chidi Okafor",
    "Dana Levi",
    "Emil Sand",
    "Farah Aziz",
    "Goran Ilic",
    "Hana Mori",
)
_SERVICES = """ledger gateway billing search ingest scheduler notifier catalog pricing identity
    archive metrics replay courier vault planner""".split()
_TOOLS = """Postgres Redis Kafka Terraform Grafana Bazel Docker Ansible Vault Nginx Pytest Ruff
    Airflow Prometheus Elasticsearch RabbitMQ Kubernetes SQLite""".split()
_PARTS = """retry loop|connection pool|cache key|migration script|rate limiter|health check|
    queue consumer|token refresh|export job|feature flag|index rebuild|backup window|
    error budget|login form|audit trail|batch size""".replace("\n    ", "").split("|")
_SEEN = """times out under load|returns stale rows|leaks file handles|double counts refunds|
    drops the last page|logs the wrong tenant|blocks the deploy|fails on empty input|
    wakes people at night|uses twice the memory it should""".replace("\n    ", "").split("|")
_ADVICE = """measure it before anything else|put a bound on it and log when it is reached|
    move the work out of the request|write the test that fails first|
    keep the old path behind a flag for a week|ask the owner of the table before you change it|
    read the release notes, the default has changed""".replace("\n    ", "").split("|")
_ASIDE = """The change went out last week and nobody has looked at it since.|
    Two customers wrote about it this morning.|The dashboards show it between nine and eleven.|
    It does not happen on my machine.|We have seen it once before, in the winter.|
    The on-call notes say nothing about it.""".replace("\n    ", "").split("|")


class Step(NamedTuple):
    """One thing an agent hands over: the next exchange of a session, or an entry."""

    number: int
    at: str
    session: str
    speaker: str
    said: tuple[str, ...]
    category: str


def steps(seed: int, turns: int, writers: int) -> list[list[Step]]:
    """What each writer does, in order; `turns` turns in all, rounded to whole sessions."""
    sessions = max(writers, turns // (2 * EXCHANGES))
    sessions -= sessions % writers
    mine: list[list[Step]] = []
    for writer in range(writers):
        dice = random.Random(f"{seed} {writer}")
        done: list[Step] = []
        for number in range(sessions // writers):
            done += _session(dice, writer, number, sessions // writers, len(done))
        mine.append(done)
    return mine


def _session(dice: random.Random, writer: int, number: int, sessions: int, at: int) -> list[Step]:
    name = f"day-{writer}-{number:03d}"
    speaker = _PEOPLE[(2 * writer + number % 2) % len(_PEOPLE)]
    service, begin = dice.choice(_SERVICES), _BEGIN + _WORKDAY * (number / sessions)
    made: list[Step] = []
    for exchange in range(EXCHANGES):
        when = instant(begin + timedelta(seconds=55 * exchange + writer))
        ticket = ticket_of(writer, number, exchange)
        pair = (_asked(dice, service, ticket), _answered(dice, service, ticket))
        made.append(Step(at + len(made), when, name, speaker, pair, ""))
        if exchange % _ENTRY_EVERY == _ENTRY_EVERY // 2:
            category, content = _entry(dice, service, ticket, speaker)
            made.append(Step(at + len(made), when, name, speaker, (content,), category))
    return made


def ticket_of(writer: int, session: int, exchange: int) -> str:
    """The word by which an exchange is found again."""
    return f"QT{writer}{session:03d}{exchange:02d}"


def _asked(dice: random.Random, service: str, ticket: str) -> str:
    tool, other = dice.sample(_TOOLS, 2)
    part, figure = dice.choice(_PARTS), dice.randint(2, 980)
    said = dice.choice(
        (
            f"Can you look at {ticket}? The {part} of {service} {dice.choice(_SEEN)}.",
            f"For {ticket} we decided to use {tool} for the {part} of {service}.",
            f"I prefer {tool} over {other} for {service}, please remember that for {ticket}.",
            f"We moved the {part} of {service} from {other} to {tool}, see {ticket}.",
            f"{ticket}: the limit of the {part} is {figure} now, it was {figure // 2} before.",
            f"Always run {tool} before you touch the {part} of {service}, {ticket} says why.",
            f"What did {dice.choice(_PEOPLE)} say about the {part} in {ticket}?",
        )
    )
    return f"{said} {dice.choice(_ASIDE)}" if dice.random() < 0.5 else said


def _answered(dice: random.Random, service: str, ticket: str) -> str:
    tool, part, figure = dice.choice(_TOOLS), dice.choice(_PARTS), dice.randint(2, 980)
    first = dice.choice(
        (
            f"I ran {tool} on {service}: {figure} checks passed and {figure % 7} failed.",
            f"The {part} {dice.choice(_SEEN)} because {tool} opens a connection a request.",
            f"Done. The {part} of {service} now waits {figure} ms between two attempts.",
            f"Noted. I changed the configuration of {tool} and restarted {service}.",
            f"I opened {service}/{part.replace(' ', '_')}.py and its test; both mention {tool}.",
        )
    )
    more = dice.sample(_ADVICE, 2)
    return f"{first} My advice for {ticket}: {more[0]}, then {more[1]}. {dice.choice(_ASIDE)}"


def _entry(dice: random.Random, service: str, ticket: str, speaker: str) -> tuple[str, str]:
    tool, figure = dice.choice(_TOOLS), dice.randint(2, 980)
    return dice.choice(
        (
            ("decision", f"{service} uses {tool} since {ticket}, {speaker} decided it."),
            ("preference", f"{speaker} wants {tool} in {service}, as {ticket} says."),
            ("fact", f"The limit of {service} in {tool} is {figure} since {ticket}."),
            ("insight", f"{ticket} showed that {tool} slows {service} by {figure} ms."),
        )
    )


def questions(seed: int, count: int) -> list[str]:
    """What the agents ask their memory while the others write."""
    dice = random.Random(seed)
    asked: list[str] = []
    for _ in range(count):
        service, tool, other = dice.choice(_SERVICES), *dice.sample(_TOOLS, 2)
        part, person = dice.choice(_PARTS), dice.choice(_PEOPLE)
        asked.append(
            dice.choice(
                (
                    f"What did we decide about the {part} of {service}?",
                    f"Does {person} prefer {tool} or {other}?",
                    f"Which limit does the {part} of {service} have now?",
                    f"Why is the {part} slow when {tool} is used?",
                    f"What did {person} say about {service} and {tool}?",
                    f"Which tool do we use for the {part}?",
                    f"What must I do before I touch the {part} of {service}?",
                    f"Is there anything about {tool} timing out in {service}?",
                )
            )
        )
    return asked
