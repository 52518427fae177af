"""Reports: what a community of the graph is about, in its own sentences and dated facts.

A report is an episode of the source type `report`, derived from others: it has no passage, no
vector and no mention, so that nothing that searches passages, counts words or lists names ever
meets it. What every line rests on is named, and `source_refs` lists all of it.
"""

from typing import Annotated, NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.records.record import Episode
from quipu.records.refs import SESSION_PREFIX

__all__ = [
    "REPORT",
    "REPORTS",
    "Disagreement",
    "NamedIn",
    "ReflectionBudget",
    "ReflectionRecord",
    "Report",
    "ReportBasis",
    "ReportLine",
    "lines_of",
    "read_report",
    "report_text",
    "trimmed",
]

REPORT = "report"
REPORTS = frozenset({REPORT})


class ReflectionBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What a reflection may make, in counts: the same graph gives the same reports on any
    machine. Fields of earlier versions are passed over."""

    communities: Annotated[int, "how many communities are reported on"] = 60
    characters: Annotated[int, "how long the text of a report may be"] = 4000

    def __post_init__(self) -> None:
        """Raise InvalidInput for a budget that allows nothing."""
        least = {"communities": 1, "characters": 400}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise InvalidInput(
                    f"a budget of {getattr(self, name)!r} {name} is too little: give {bound} or "
                    "more, for example `quipu reflect --budget 60`"
                )


class ReportLine(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of a passage as it stands there, or a fact in words, and where that stands."""

    text: Annotated[str, "the sentence, or the fact in words"]
    source_ref: Annotated[str, "its source"]
    chunk_id: Annotated[str, "the passage it stands in; empty where it was asserted by hand"] = ""
    document_id: Annotated[str, "the document of that passage"] = ""
    start_line: Annotated[int, "its first line"] = 1
    end_line: Annotated[int, "its last line, included"] = 1
    fact_id: Annotated[str, "the record of the fact; empty for a sentence"] = ""


class Disagreement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two facts that cannot both hold, and neither was superseded."""

    one: Annotated[ReportLine, "one side"]
    other: Annotated[ReportLine, "the other side"]


class NamedIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A central name, and a source that writes it so."""

    name: Annotated[str, "the name as it is written"]
    entity_id: Annotated[str, "its record; empty for a plain word"]
    document_id: Annotated[str, "a document that writes it so"]
    source_ref: Annotated[str, "the source of that document"]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What is written of one community; fields of earlier versions are passed over."""

    ref: Annotated[str, "what opens it: `report:…`"]
    title: Annotated[str, "what the community is called"]
    place: Annotated[str, "the folder or conversation of most of its sources"]
    documents: Annotated[int, "how many documents or sessions are in it"]
    passages: Annotated[int, "how many passages of theirs"]
    first_seen: Annotated[str, "when the earliest of them was first seen"]
    last_seen: Annotated[str, "when the latest of them was last changed"]
    names: Annotated[tuple[NamedIn, ...], "its most central names"]
    quotes: Annotated[tuple[ReportLine, ...], "the sentences that say best what it is about"]
    facts: Annotated[tuple[ReportLine, ...], "dated facts that hold, the latest first"] = ()
    disagreements: Annotated[tuple[Disagreement, ...], "facts that cannot both hold"] = ()
    witnesses: Annotated[tuple[str, ...], "sources that its title and place were read from"] = ()

    @property
    def lines(self) -> tuple[ReportLine, ...]:
        """Every sentence and every fact, those that disagree included."""
        both = (side for each in self.disagreements for side in (each.one, each.other))
        return (*self.quotes, *self.facts, *both)

    @property
    def source_refs(self) -> tuple[str, ...]:
        """Every source that a line of the report rests on, by reference."""
        said = (each.source_ref for each in (*self.names, *self.lines))
        return tuple(sorted({*self.witnesses, *said}))


class ReflectionRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That reports were written: of the store as it stood at `sequence`, within `budget`."""

    sequence: int
    budget: ReflectionBudget
    communities: int
    reports: int


class ReportBasis(NamedTuple):
    """What the lines of a report rest on: passages, documents and facts, by id."""

    chunk_ids: frozenset[str]
    document_ids: frozenset[str]
    fact_ids: frozenset[str]


def lines_of(report: Report) -> ReportBasis:
    """Return all that the lines of `report` rest on."""
    lines = report.lines
    documents = {each.document_id for each in (*lines, *report.names)}
    return ReportBasis(
        frozenset({each.chunk_id for each in lines} - {""}),
        frozenset(documents - {""}),
        frozenset({each.fact_id for each in lines} - {""}),
    )


def trimmed(report: Report, allowed: ReportBasis, *, keep_title: bool) -> Report | None:
    """`report` with the lines that rest on what is `allowed` and no others; None where nothing
    is left that says something. Without `keep_title` it is called by the names that are left, and
    its place is not told."""

    def holds(line: ReportLine) -> bool:
        if line.fact_id and line.fact_id not in allowed.fact_ids:
            return False
        if not line.chunk_id:  # asserted by hand: in no scope, but everywhere else
            return keep_title
        return line.chunk_id in allowed.chunk_ids and line.document_id in allowed.document_ids

    names = tuple(n for n in report.names if n.document_id in allowed.document_ids)
    quotes, facts = (tuple(filter(holds, each)) for each in (report.quotes, report.facts))
    disputed = tuple(d for d in report.disagreements if holds(d.one) and holds(d.other))
    if not (quotes or facts or disputed):
        return None
    called = ", ".join(each.name for each in names[:3]) or report.ref
    return msgspec.structs.replace(
        report,
        title=report.title if keep_title else called,
        place=report.place if keep_title else "",
        names=names,
        quotes=quotes,
        facts=facts,
        disagreements=disputed,
    )


def read_report(episode: Episode) -> Report | None:
    """The report that an episode holds; None for any other episode, and for a damaged one."""
    if episode.source_type != REPORT:
        return None
    try:
        return msgspec.convert(episode.properties.get("report"), Report)
    except msgspec.ValidationError:
        return None


def report_text(report: Report) -> str:
    """The report as a person reads it: Markdown, every line with where it stands."""
    disputed = [f"- {_cited(d.one)}, but {_cited(d.other)}" for d in report.disagreements]
    names = ", ".join(each.name for each in report.names)
    parts = (
        [f"# {report.title}", _size(report)],
        [f"- {_cited(each)}" for each in report.quotes],
        ["What holds:", *(f"- {_cited(each)}" for each in report.facts)] if report.facts else [],
        ["Open contradictions:", *disputed] if disputed else [],
        [f"Names: {names}"] if names else [],
    )
    return "\n\n".join("\n".join(part) for part in parts if part)


def _cited(line: ReportLine) -> str:
    ref = line.source_ref
    if not line.chunk_id or ref.startswith((SESSION_PREFIX, "manual:")):
        return f"{line.text} [{ref}]"
    last = "" if line.start_line == line.end_line else f"-{line.end_line}"
    return f"{line.text} [{ref}:{line.start_line}{last}]"


def _size(report: Report) -> str:
    sources = _counted(report.documents, "source")
    size = f"{sources}, {_counted(report.passages, 'passage')}"
    since, until = report.first_seen[:10], report.last_seen[:10]
    when = f", {since}" if since == until else f", {since} to {until}"
    dated = when if since > "0001" else ""
    return f"{size} in {report.place}{dated}" if report.place else f"{size}{dated}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
