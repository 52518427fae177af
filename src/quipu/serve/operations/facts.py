"""Dated statements: listed, told as history, audited, asked at a date; what always holds."""

from typing import Annotated, Any, TypedDict, Unpack

import msgspec
from msgspec import Meta

from quipu.agents.audits import Audit, Overview, overview
from quipu.agents.audits import audit as audit_of
from quipu.agents.brief import BRIEF_TOKENS, Brief
from quipu.agents.brief import brief as briefed
from quipu.agents.entries import Entries
from quipu.errors import InvalidInput, UnknownRecord
from quipu.facts.history import History
from quipu.memory import Memory, Passage
from quipu.records.record import Fact, record_id
from quipu.records.stated import ProposedStatement, Stated, StatedList, StatementInput
from quipu.serve.operations import (
    Command,
    Date,
    Day,
    Flag,
    Http,
    Mark,
    Tool,
    Word,
    given_bytes,
    operation,
)
from quipu.serve.shapes import shaped
from quipu.when.instants import parse_instant

__all__: list[str] = []

About = Annotated[str, "whom or what it is said of", Meta(min_length=1), Word(), Mark.SUBJECT]
AboutOrNone = Annotated[str | None, "whom or what it is said of", Word(), Mark.SUBJECT]
AsOf = Annotated[Day | None, "only what was true on this date"]
KnownAt = Annotated[Day | None, "only what was known then, as it stood then"]
Text = Meta(max_length=20_000)


class FactList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu facts`."""

    facts: Annotated[tuple[Fact, ...], "by subject, predicate, date and id"]


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_audit`."""

    audit: Annotated[Audit | None, "of one subject"] = None
    overview: Annotated[Overview | None, "of the whole memory"] = None

    @property
    def entries(self) -> object:
        """What is known of the subject; empty where nothing is."""
        return self.audit and self.audit.entries


class AuditPage(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_audit`, a page of it: `cursor` takes `next_cursor`."""

    lines: Annotated[
        tuple[str, ...], "what held, what disagrees, the timeline with what took whose place"
    ] = ()
    overview: Annotated[Overview | None, "of the whole memory"] = None


class FactAtTime(msgspec.Struct, frozen=True, kw_only=True):
    """A fact and how it stood then."""

    fact_id: Annotated[str, "its id"]
    subject: Annotated[str, "whom or what it is about"]
    predicate: Annotated[str, "what it says of it"]
    object: Annotated[str, "what it says it is"]
    valid_from: Annotated[str | None, "from when it holds, or null"]
    valid_to: Annotated[str | None, "until when it holds, excluded; or null"]
    superseded_by: Annotated[str | None, "the fact that took its place"]
    contradicted_by: Annotated[tuple[str, ...], "the facts that disagree"]
    confidence: Annotated[float, "how sure it is, in [0, 1]"]
    source_ref: Annotated[str, "the source that said it"]
    score: Annotated[float | None, "how well it fits the question"] = None


class FactsAtTime(msgspec.Struct, frozen=True, kw_only=True):
    """`fact_query_at_time`."""

    at: Annotated[str, "the date"]
    known_at: Annotated[str | None, "judged by what was known then"] = None
    known: Annotated[bool, "whether the first fact answers at all"]
    facts: Annotated[tuple[FactAtTime, ...], "the facts, best first"]


@operation(
    "read",
    Command(unknown="subject", finds="facts"),
    Http("GET /api/v1/facts", name="list_facts", page="facts", default={"live": False}),
)
def facts(
    memory: Memory,
    subject: AboutOrNone = None,
    predicate: Annotated[str | None, "only statements with this predicate"] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    live: Annotated[
        bool | None,
        "only what was not replaced",
        Flag("--all", False, "also what another took the place of"),
    ] = None,
) -> FactList:
    """List dated statements, about SUBJECT or about everything.

    SUBJECT is written as the statement has it, or as an id, a path or a unique name. What
    another statement took the place of is left out; `quipu history` and `quipu audit` show the
    chain.

    $ quipu facts
    $ quipu facts 'payment service' --as-of 2026-01-31
    """
    lives = as_of is None if live is None else live
    names = [subject] if subject is None else [subject, _named(memory, subject)]
    found = (
        memory.facts(name, predicate, as_of=as_of, known_at=known_at, live=lives) for name in names
    )
    return FactList(facts=tuple(next((each for each in found if each), ())))


def _named(memory: Memory, subject: str) -> str:
    """The id of what is called so; what was given where nothing is."""
    try:
        found = memory.get(subject)
    except UnknownRecord:
        return subject
    return subject if isinstance(found, Passage) else record_id(found)


@operation("read", Command(unknown="subject"), Http("GET /api/v1/history", name="get_history"))
def history(
    memory: Memory, subject: About, as_of: AsOf = None, known_at: KnownAt = None
) -> History:
    """Show all that was ever said of SUBJECT, in the order of what happened.

    Each statement says when it is true, what was said, by whom, when it was known, and what took
    its place or disagrees.

    $ quipu history 'payment service'
    $ quipu history 'Eva Gray' --as-of 2012-06
    $ quipu history 'Eva Gray' --known-at 2026-01-31
    """
    return memory.facts.history(subject, as_of=as_of, known_at=known_at)


def _audit_page(found: Audited) -> AuditPage:
    lines = found.audit.text.splitlines() if found.audit else ()
    return AuditPage(lines=tuple(lines), overview=found.overview)


@operation(
    "read",
    Command(
        default={"limit": 100},
        unknown="subject",
        prints=lambda found, _given: found.audit or found.overview,
    ),
    Http("GET /api/v1/audit", name="audit_of"),
    Http("GET /api/memory/audit", name="audit_of"),
    Tool("memory_audit", "Audit memory", gives=AuditPage, shown=_audit_page, page="lines"),
)
def audit(
    memory: Memory,
    subject: Annotated[
        str | None, "a name; none for the whole memory", Word(), Mark.SUBJECT
    ] = None,
    as_of: Annotated[Day | None, "what held on this date; none for now"] = None,
    known_at: Annotated[Day | None, "judged by what was known then"] = None,
    limit: Annotated[int, "entries at most", Meta(ge=1, le=500)] = 50,
) -> Audited:
    """Audit a subject: what holds at a time, what took its place, who disagrees, who said what.

    Without one: the whole memory's contradictions and expired sources.

    $ quipu audit 'ledger service'
    $ quipu audit 'ledger service' --as-of 2025-06 --known-at 2025-08-01
    $ quipu audit
    """
    if subject and subject.strip():
        return Audited(audit=audit_of(memory, subject, as_of=as_of, known_at=known_at, limit=limit))
    if as_of or known_at:
        raise InvalidInput(
            "as_of and known_at judge one subject: give subject, or leave the dates out"
        )
    return Audited(overview=overview(memory, limit=limit))


@operation("read", Command(unknown="about", finds="sections"))
def brief(
    memory: Memory,
    about: AboutOrNone = None,
    tokens: Annotated[
        int, "how long it may be, in tokens of about 4 characters", Meta(ge=20)
    ] = BRIEF_TOKENS,
) -> Brief:
    """Print what an agent should know whatever it is asked.

    Standing instructions, preferences, decisions, open work, who the user (or ABOUT) is, and what
    is stated of anything else: what holds now, with its day, what is stated first, newest first.
    Put it before an agent's first turn.

    $ quipu brief
    $ quipu brief Dana
    $ quipu brief --tokens 200 --json
    """
    entries = Entries(memory).live()
    return briefed(memory, entries, about=about or "user", budget_tokens=tokens)


@operation(
    "read",
    Http("POST /api/facts/query-at-time", name="facts_query", body="FactQuery"),
    Tool("fact_query_at_time", "Facts at a time"),
)
def facts_at(
    memory: Memory,
    query: Annotated[str, "a question; or give a subject", Text] = "",
    subject: Annotated[str, "everything that held of this", Text] = "",
    at: Annotated[Date, "the date; empty for now"] = "",
    known_at: Annotated[Date, "judged by what was known then"] = "",
    limit: Annotated[int, "how many", Meta(ge=1, le=100)] = 10,
) -> FactsAtTime:
    """Ask what was true at a date: a question in words, or everything about a subject.

    `known_at` (with a subject) judges by what was known then.
    """
    moment = at or memory.clock()[:10]
    if subject.strip():
        told = memory.facts.history(subject, as_of=moment, known_at=known_at or None)
        rows = tuple(shaped(FactAtTime, each, each.fact) for each in told.entries[:limit])
        known = bool(told.entries)
        return FactsAtTime(at=moment, known_at=known_at or None, known=known, facts=rows)
    if not query.strip():
        raise InvalidInput("nothing is asked: give a query or a subject")
    if known_at:
        raise InvalidInput("known_at needs a subject: a query is asked of what is known now")
    first_day = moment + "-01-01"[3 * moment.count("-") :] if len(moment) in {4, 7} else moment
    found = memory.facts.find(query, now=parse_instant(first_day), limit=limit)
    rows = tuple(
        shaped(FactAtTime, each, each.standing, each.standing.fact) for each in found.matches
    )
    return FactsAtTime(at=moment, known=found.known, facts=rows)


@operation(
    "write",
    Http("POST /api/v1/statements", status=201, name="state_facts", body="StatementList"),
    Tool("memory_state", "State facts"),
)
def state(
    memory: Memory,
    statements: Annotated[
        tuple[StatementInput, ...], "all or none", Meta(min_length=1, max_length=1_000)
    ],
) -> StatedList:
    """State facts: subject, attribute, value, since when. The same key replaces its value.

    Each reply says what was replaced, the subject's other keys and keys near it: use the key
    that is known, or name the fact that yours `replaces`.
    """
    return StatedList(stated=tuple(memory.facts.state(statements)))


class StatedWith(TypedDict, total=False):
    """What holds of every statement of a command."""

    since: Annotated[Date | None, "from when on; when it is said, if left out"]
    until: Annotated[Date | None, "until when, if it has an end"]
    said_at: Annotated[Date | None, "when it was said; now, if left out"]
    source: Annotated[str, "who said it, or where"]
    ends: Annotated[bool, "it is so no more: a statement without a value"]
    replaces: Annotated[str, "the id of the fact whose place it takes"]
    corrects: Annotated[str, "the id of a fact that was never so, but this was"]
    retracts: Annotated[str, "the id of a fact that was never so; no STATEMENT"]
    listed: Annotated[
        str | None,
        "a list of statements as JSON, as `POST /api/v1/statements` takes them; - for a pipe",
        Flag("--file"),
    ]


@operation("write", Command())
def state_words(
    memory: Memory,
    statements: Annotated[tuple[str, ...], Word("[STATEMENTS]...")] = (),
    **told: Unpack[StatedWith],
) -> StatedList:
    """State facts, all or none of them: "SUBJECT ATTRIBUTE = VALUE".

    The attribute is the last word before the sign, or what follows a colon; a value in JSON keeps
    its type. A key has one value at a time. What was replaced, and which keys may mean the same, is
    told; nothing is merged that is not named by --replaces.

    $ quipu state "billing owner = Dagny" --since 2026-08-10
    $ quipu state "checkout api: deploy day = Tuesday" 'billing: tags = ["eu", "core"]'
    $ quipu state "billing owner" --ends --until 2026-09-01
    $ quipu state "billing on-call person = Erik" --replaces fa_0123456789abcdef01234567
    $ quipu state --file statements.json
    """
    if file := told.pop("listed", None):
        return state(memory, _read(file))
    more: Any = {name: value for name, value in told.items() if value}
    return state(memory, tuple(StatementInput(**_parts(e), **more) for e in statements or ("",)))


class Undecided(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for the user, and what was accepted now."""

    proposals: Annotated[tuple[ProposedStatement, ...], "what waits, the oldest first"]
    accepted: Annotated[tuple[Stated, ...], "what became of each that was accepted"] = ()


@operation(
    "write",
    Command(),
    Http("POST /api/v1/proposals", name="decide_proposals", body="Decisions"),
    Tool("memory_proposals", "Proposals"),
)
def proposals(
    memory: Memory,
    accept: Annotated[tuple[str, ...], "ids that the user accepts"] = (),
    refuse: Annotated[tuple[str, ...], "ids to drop"] = (),
) -> Undecided:
    """List, accept or refuse what a page or a tool stated against a user: it is not asserted.

    $ quipu proposals
    $ quipu proposals --accept proposed:billing/owner@0123abcd
    """
    accepted = memory.facts.accept(accept, refuse=refuse)
    return Undecided(proposals=tuple(memory.facts.proposals()), accepted=tuple(accepted))


def _read(file: str) -> tuple[StatementInput, ...]:
    try:
        return msgspec.json.decode(given_bytes(file), type=tuple[StatementInput, ...])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"{file} holds no list of statements: {error}") from error


def _parts(statement: str) -> dict[str, Any]:
    key, _, value = (part.strip() for part in statement.partition("="))
    subject, colon, attribute = key.partition(": ")
    if not colon:
        subject, _, attribute = key.rpartition(" ")
    if statement and not (subject and attribute.strip()):
        raise InvalidInput(
            f'{statement!r} is no statement: write it as "SUBJECT ATTRIBUTE = VALUE"'
        )
    return {"subject": subject, "attribute": attribute.strip(), "value": _value(value)}


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text, type=list[str | int | float | bool])
    except msgspec.DecodeError:
        return text
