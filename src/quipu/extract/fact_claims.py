"""Facts that a document states, as claims: in running text and in observations, each with its chunk
as evidence and its place in the text as provenance; and those that front matter dates, such as what
the status or owner of a document is, and from when."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from quipu.errors import InvalidInput
from quipu.extract.asserting import PassageText, evidence_at
from quipu.extract.statements import (
    Statement,
    read_instructions,
    read_statements,
    singular,
)
from quipu.extract.statements.tables import table_statements
from quipu.facts.attributes import SHIPPED, Attributes
from quipu.facts.keys import predicate_key
from quipu.records.batch import Claim
from quipu.records.document import DatedFact, Document
from quipu.records.ids import make_id
from quipu.records.record import Episode, Fact, Properties, Value
from quipu.text import excerpt
from quipu.when.instants import parse_instant
from quipu.when.intervals import Interval, read_iso, shown

__all__ = ["asked_facts", "dated_facts", "fact_of", "observed_facts", "stated_facts"]

_PERSONAL = frozenset({"session", "memory_file", "manual_ingest", "tool"})
"""Kinds of source in which somebody speaks for themselves."""

_EXCERPT = 300
_OBSERVED = "observation"
_OBSERVED_CONFIDENCE = 0.9

_DATED_PROPERTIES = ("status", "lifecycle", "owner", "version")
_FROM_KEYS = (
    "valid_from",
    "effective_from",
    "effective_date",
    "effective",
    "since",
    "decided_on",
    "date",
)
_TO_KEYS = (
    "valid_to",
    "valid_until",
    "effective_to",
    "expires",
    "expires_on",
    "end_date",
    "sunset",
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ACRONYM = re.compile(r"(?<=\w) \([A-Z][A-Z&.-]{2,9}\)$")
"""What stands in brackets behind a name and is short for it: "Payment Service Team (PST)"."""


def stated_facts(
    text: str,
    chunks: Sequence[PassageText],
    episode: Episode,
    *,
    namespace: str,
    about: str = "",
    speaker: str = "",
    stated: Properties | None = None,
    attributes: Attributes = SHIPPED,
) -> list[Claim]:
    """A claim for each statement in `text`, by where it stands.

    `about` is the title of the document, `speaker` who says "I". `chunks` are those of the text,
    in order; lines count from 1. `stated` may date a text that names no time itself: its
    `valid_from`, `valid_to` and, if the text says more, its `statement`. `attributes` tells
    which wordings say the same.
    """
    statements = read_statements(
        text,
        about=about,
        speaker=speaker,
        observed_at=episode.observed_at,
        personal=episode.source_type in _PERSONAL,
        attributes=attributes,
    )
    if not statements and stated:
        statements = _stated(text, stated)
    return _claims(statements, text, chunks, episode, namespace=namespace, speaker=speaker)


def asked_facts(
    text: str, chunks: Sequence[PassageText], episode: Episode, *, namespace: str, speaker: str
) -> list[Claim]:
    """A claim for each thing that a turn of a conversation asks for from now on. What else it says
    is found, and asserts nothing."""
    found = read_instructions(text, speaker=speaker, observed_at=episode.observed_at)
    return _claims(found, text, chunks, episode, namespace=namespace, speaker=speaker)


def recorded_facts(
    text: str, chunks: Sequence[PassageText], episode: Episode, *, namespace: str
) -> list[Claim]:
    """A claim for each value of a record of data in `text`, by where it stands."""
    found = list(table_statements(text))
    return _claims(found, text, chunks, episode, namespace=namespace)


def _claims(
    statements: Sequence[Statement],
    text: str,
    chunks: Sequence[PassageText],
    episode: Episode,
    *,
    namespace: str,
    speaker: str = "",
) -> list[Claim]:
    if not statements:
        return []
    breaks = [i for i, character in enumerate(text) if character == "\n"]
    claims: list[Claim] = []
    for statement in statements:
        line = bisect_right(breaks, statement.start - 1) + 1
        fact = fact_of(statement, text, line, episode, namespace, speaker)
        claims.append(Claim(fact, episode.episode_id, evidence_at(chunks, line)))
    return claims


def observed_facts(
    document: Document, chunks: Sequence[PassageText], episode: Episode, *, namespace: str
) -> list[Claim]:
    """A claim for each observation that a note makes of its subject, in the order of its lines."""
    if not document.observations:
        return []
    lines = document.text.split("\n")
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    claims: list[Claim] = []
    for each in document.observations:
        start = offsets[each.line - 1]
        statement = Statement(
            singular(document.title),
            predicate_key(each.category),
            each.content,
            None,
            None,
            start,
            start + len(lines[each.line - 1]),
            _OBSERVED,
            _OBSERVED_CONFIDENCE,
        )
        fact = fact_of(statement, document.text, each.line, episode, namespace)
        if each.tags:
            fact.provenance["tags"] = [*each.tags]
        if each.context:
            fact.provenance["context"] = each.context
        claims.append(Claim(fact, episode.episode_id, evidence_at(chunks, each.line)))
    return claims


def _stated(text: str, stated: Properties) -> list[Statement]:
    """The statement of a text that is dated beside it, not in it."""
    start, end = (stated.get(key) for key in ("valid_from", "valid_to"))
    interval = Interval(*(read_iso(d) if isinstance(d, str) else None for d in (start, end)))
    if interval == Interval() or interval.backwards:
        return []
    said = stated.get("statement")
    said = said if isinstance(said, str) and said.strip() else text
    read = read_statements(f"{said.strip().rstrip('.')} {shown(interval)}.", personal=False)
    return [each._replace(start=0, end=len(text)) for each in read[:1]]


def fact_of(
    statement: Statement,
    text: str,
    line: int,
    episode: Episode,
    namespace: str,
    speaker: str = "",
) -> Fact:
    """The fact that a statement in `text`, a part of `episode`, makes; it begins on `line`."""
    provenance: Properties = {
        "document_id": episode.document_id,
        "path": episode.source_ref,
        "line": line,
        "start": statement.start,
        "end": statement.end,
        "rule": statement.rule,
        "text": excerpt(text[statement.start : statement.end], limit=_EXCERPT),
    }
    if speaker:
        provenance["speaker"] = speaker
    if statement.single:
        provenance["single"] = True
    for mark in ("noun", "since"):
        if getattr(statement, mark):
            provenance[mark] = True
    if statement.purpose:
        provenance["for"] = statement.purpose
    if episode.group:
        provenance["group"] = episode.group
    subject, said = (_ACRONYM.sub("", name) for name in (statement.subject, statement.object))
    return Fact(
        fact_id=make_id(
            "fact",
            namespace,
            episode.document_id or episode.source_ref,
            subject,
            statement.predicate,
            said,
            statement.valid_from or "",
            statement.valid_to or "",
        ),
        subject=subject,
        predicate=statement.predicate,
        object=said,
        updated_at=episode.observed_at,
        source_sha=episode.source_sha,
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        confidence=statement.confidence,
        provenance=provenance,
    )


def dated_facts(
    document: Document, *, document_id: str, namespace: str
) -> Iterator[tuple[Fact, int]]:
    """Yield a fact for each dated property, those listed under `facts:`, of the document's title
    where they name no subject, and those that the reader states; each with its line.

    Raises InvalidInput for a date of a reader that is none.
    """
    for stated in (*_front_facts(document), *map(_checked, document.facts)):
        subject, predicate, object_, line, start, end = stated
        ids = namespace, document_id, subject, predicate, object_, start, end
        fact = Fact(
            fact_id=make_id("fact", *ids),
            subject=subject,
            predicate=predicate,
            object=object_,
            updated_at=document.updated_at,
            source_sha=document.source_sha,
            valid_from=start or None,
            valid_to=end or None,
            provenance={"document_id": document_id, "path": document.path},
        )
        yield fact, line


def _checked(stated: DatedFact) -> DatedFact:
    for date in filter(None, (stated.valid_from, stated.valid_to)):
        if not _date({"date": date}, ("date",)):
            raise InvalidInput(f"has a fact in line {stated.line} with no ISO date: {date!r}")
    return stated


def _front_facts(document: Document) -> Iterator[DatedFact]:
    """Yield what the properties of a document state with dates."""
    properties = document.properties
    start, end = _date(properties, _FROM_KEYS), _date(properties, _TO_KEYS)
    for predicate in _DATED_PROPERTIES if start or end else ():
        value = properties.get(predicate)
        if isinstance(value, str | int | float) and str(value).strip():
            yield DatedFact(document.title, predicate, str(value), 1, start, end)
    listed = properties.get("facts")
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict):
            subject = item.get("subject") or document.title
            predicate, said = item.get("predicate"), item.get("object")
            if isinstance(subject, str) and isinstance(predicate, str) and said is not None:
                dates = _date(item, _FROM_KEYS), _date(item, _TO_KEYS)
                yield DatedFact(subject, predicate, str(said), 1, *dates)


def _date(properties: Properties, keys: tuple[str, ...]) -> str:
    for key in keys:
        value: Value = properties.get(key)
        if isinstance(value, str) and _DATE.match(value):
            try:
                parse_instant(value)
            except InvalidInput:
                continue
            return value.strip()
    return ""
