"""A record, and what became of what was remembered, as a person reads it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

import msgspec

from quipu.answer.dated_facts import said
from quipu.kinds.reports.model import REPORT
from quipu.records.record import Episode, Fact
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import counted, cut, width
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_facts import fact_lines
from quipu.serve.cli.view_relations import relation_lines

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.rendered import Given
    from quipu.serve.shapes import Added, Forgotten, JobList, Opened
    from quipu.write.jobs import Job

__all__ = ["added_lines", "forgotten_lines", "job_lines", "jobs_lines", "opened_lines"]

_LONG = ("text", "preview_text", "summary_text", "description")
_OF_REPORTS = ("preview_text", "properties")  # its summary_text is the whole of it
_SHOWN, _FEW, _JOBS = 40, 5, 20


def added_lines(done: "Added", given: "Given") -> Iterator[str]:
    erasing = f"quipu forget {done.episode_id}"
    if not done.unchanged:
        yield f"Remembered as {done.episode_id}."
        yield from _told("Read", done.facts)
        yield from _told("This replaces", done.replaces)
        yield f"Erase it with: {erasing}"
        return
    kept = given.memory.graph.get([done.episode_id]).get(done.episode_id)
    dated = f", of {kept.observed_at[:10]}" if isinstance(kept, Episode) else ""
    yield f"Known already as {done.episode_id}{dated}: nothing was changed."
    yield f"To give it another date or title, erase it first: {erasing}"


def _told(lead: str, facts: Sequence[Fact]) -> Iterator[str]:
    """The first of some facts as sentences, and how many more there are."""
    for fact in facts[:_FEW]:
        yield safe(f"{lead}: {said(fact)}.", line=True)
    if len(facts) > _FEW:
        yield f"  … and {len(facts) - _FEW:,} more: `quipu facts`"


def forgotten_lines(done: "Forgotten") -> Iterator[str]:
    """How much is gone."""
    yield f"Erased {counted(done.episodes, 'episode')} and all that only they said."


def jobs_lines(found: "JobList") -> list[str]:
    """Jobs, one a line."""
    lines = [
        f"{job.job_id}  {job.status:<8}  {job.kind:<8}  {job.accepted_at[:19]}Z"
        f"  {job.added:,} added, {job.unchanged:,} known, {counted(len(job.errors), 'error')}"
        for job in found.jobs[:_JOBS]
    ]
    if len(found.jobs) > _JOBS:
        lines.append(f"… and {len(found.jobs) - _JOBS:,} earlier ones (--json lists all)")
    return lines or ["There are no jobs."]


def job_lines(job: "Job") -> list[str]:
    """What one job did."""
    counts = {each.stage: each.count for each in job.stages}
    lines = [f"{counted(job.added, 'passage')} added, {job.unchanged:,} known already."]
    if counts.get("extract"):
        lines.append(f"  {counted(counts['extract'], 'fact')} read from them")
    lines += [f"  refused: {count:,} × {rule}" for rule, count in sorted(job.refused.items())]
    if job.status == "done" and not (job.added or job.unchanged or job.refused or job.errors):
        lines.append("Nothing that can be remembered was found.")
    if job.errors:
        lines.append(f"{counted(len(job.errors), 'entry', 'entries')} could not be read:")
    lines += [f"  {safe(row.path, line=True)}: {safe(row.error, line=True)}" for row in job.errors]
    lines += [f"  {safe(note, line=True)}" for note in job.notes]
    return [*lines, f"Job {job.job_id} is {job.status}."]


def opened_lines(opened: "Opened", given: "Given") -> Iterator[str]:
    """A record: its fields, its text, its passages, its relations, its statements, who asserts
    it."""
    record, labels = opened.record, Labels(given.memory)
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
    if opened.facts:
        yield ""
        yield style(f"Statements ({len(opened.facts)})", bold=True)
        yield from ("  " + line for line in fact_lines(opened.facts[:_SHOWN], labels))
        yield from _more(len(opened.facts))
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


def _support_lines(opened: "Opened", labels: Labels) -> Iterator[str]:
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
