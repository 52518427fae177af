"""Single records as a person reads them."""

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from quipu.kinds.reports.model import REPORT
from quipu.records.record import Fact, Relation
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import cut, width, wrapped
from quipu.serve.cli.shapes import Opened
from quipu.serve.cli.terminal import safe, style

__all__ = ["fact_lines", "opened_lines", "relation_lines"]

_LONG = ("text", "preview_text", "summary_text", "description")
_OF_REPORTS = ("preview_text", "properties")  # its summary_text is the whole of it
_SHOWN = 40


def opened_lines(opened: Opened, labels: Labels) -> Iterator[str]:
    """A record: its fields, its text, its passages, its relations, who asserts it."""
    record = opened.record
    fields = msgspec.to_builtins(record)
    hidden = _OF_REPORTS if fields.get("source_type") == REPORT else ()
    yield style(safe(f"{opened.kind}  {_id(fields)}").replace("\n", r"\n"), bold=True)
    for key, value in fields.items():
        if key in hidden or key in _LONG or (key.endswith("_id") and value == _id(fields)):
            continue
        yield from _field(key, value)
    for key in _LONG:
        if fields.get(key) and key not in hidden:
            yield ""
            yield from (f"  {safe(line)}" for line in str(fields[key]).split("\n"))
    if opened.chunks:
        yield ""
        yield style(f"Passages ({len(opened.chunks)})", bold=True)
        for chunk in opened.chunks[:_SHOWN]:
            title = cut(chunk.title, 60)
            line = f"{chunk.start_line}-{chunk.end_line}  {title}  {chunk.chunk_id}"
            yield "  " + safe(line, line=True)
        yield from _more(len(opened.chunks))
    if opened.relations:
        yield ""
        yield style(f"Relations ({len(opened.relations)})", bold=True)
        yield from ("  " + line for line in relation_lines(opened.relations[:_SHOWN], labels))
        yield from _more(len(opened.relations))
    yield from _support_lines(opened, labels)


def _id(fields: dict[str, object]) -> object:
    names = ("chunk_id", "entity_id", "rel_id", "fact_id", "episode_id", "path")
    return next((fields[name] for name in names if name in fields), "")


def _field(key: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner, each in cast("dict[str, object]", value).items():
            yield from _field(f"{key}.{inner}", each)
    elif value not in (None, "", [], ()):
        shown = str(value)
        if isinstance(value, list | tuple):
            shown = ", ".join(str(each) for each in cast("Sequence[object]", value))
        yield f"  {safe(key)}: {cut(safe(shown, line=True), 4 * width())}"


def _support_lines(opened: Opened, labels: Labels) -> Iterator[str]:
    if not opened.support:
        return
    yield ""
    yield style(f"Asserted by ({len(opened.support)})", bold=True)
    for each in opened.support[:_SHOWN]:
        places = ", ".join(labels[chunk] for chunk in each.chunk_ids[:3])
        ended = f", until {each.known_until}" if each.known_until else ""
        where = places or labels[each.episode_id]
        yield "  " + safe(f"{where}  since {each.recorded_at}{ended}", line=True)
    yield from _more(len(opened.support))


def _more(count: int) -> Iterator[str]:
    if count > _SHOWN:
        yield f"  … {count - _SHOWN:,} more: --json has them all"


def relation_lines(relations: Sequence[Relation], labels: Labels) -> Iterator[str]:
    """A relation a line: its ends, its type, how sure it is, its id."""
    labels.read(e for r in relations for e in (r.source_entity_id, r.target_entity_id))
    for each in relations:
        source, target = labels[each.source_entity_id], labels[each.target_entity_id]
        words = safe(f"{source} —{each.type}→ {target}", line=True)
        yield f"{words}  {style(f'{each.confidence:.2f}  {each.rel_id}', dim=True)}"
        yield from wrapped(each.description, indent="    ")
    if not relations:
        yield "No relations."


def fact_lines(facts: Sequence[Fact], labels: Labels) -> Iterator[str]:
    """A statement a line, with when it is true and how sure it is."""
    labels.read(end for fact in facts for end in (fact.subject, fact.object))
    for fact in facts:
        since, until = fact.valid_from or "…", fact.valid_to or "…"
        words = safe(f"{labels[fact.subject]} {fact.predicate} {labels[fact.object]}", line=True)
        detail = f"{since} to {until}  {fact.confidence:.2f}  {fact.fact_id}"
        yield f"{words}  {style(detail, dim=True)}"
    if not facts:
        yield "No statements."
