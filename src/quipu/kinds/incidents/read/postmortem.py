"""Post-mortems in Markdown: headings, a timeline, impact, root cause, actions.

Facts are read from front matter, from lines `**Service:** payments` and from tables of two
columns. Sections are known by their headings. What was tried is read from the timeline: an
action after which another was needed did not work; the last one worked when the incident ended.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read.foreign import component_of, grade, metrics_in
from quipu.kinds.incidents.read.tried import TimelineEntry, attempts, entries
from quipu.read.decode import normalised
from quipu.read.fields import Fields, prose_of, slug
from quipu.read.front_matter import split_front_matter
from quipu.records.record import Properties, Value
from quipu.when.dates import find_items
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["is_postmortem", "report"]

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$")
_UNDERLINED = re.compile(r"^([^\s|#>*+-].{0,200})\n(=|-)\2{2,}[ \t]*$", re.MULTILINE)
_FACT = re.compile(r"^[-*+ \t]{0,6}\*{0,2}([A-Za-z][A-Za-z /()]{2,40}?)\*{0,2}:\*{0,2}[ \t]+(.+)$")
_ROW = re.compile(r"^\|[ \t]*\*{0,2}([A-Za-z][A-Za-z /]{2,40}?):?\*{0,2}[ \t]*\|([^|]+)\|[ \t]*$")
_MARK = re.compile(r"[*_`]|\[([^\]]*)\]\([^)]*\)")
_TITLE = re.compile(
    r"^(?:incident\s+)?(?:post[- ]?mortem|incident report|rca|retrospective)(?:\s*[:–—-]\s*|\s+)",
    re.IGNORECASE,
)
_FILE_DATE = re.compile(r"(\d{4})[-_]?(\d\d)[-_]?(\d\d)")
_COMPONENT = (
    "component|service|affected service|primary service|system|affected component|"
    "affected services|services affected|services"
).split("|")
_WHEN = (
    "start time|started|start|incident start|began|date and time|date|incident date|timestamp|time"
).split("|")
_ENDED = (
    "end time|ended|end|incident end|resolved|resolved at|resolution time|mitigated at"
).split("|")
_DAY_S = 86_400
_SECTIONS = {
    "summary": "summary|overview|abstract|executive summary|what happened",
    "impact": "impact|user impact|customer impact",
    "cause": "root cause|root causes|cause|causes|trigger|root cause analysis|"
    "contributing factors|why it happened",
    "timeline": "timeline|time line|chronology|sequence of events",
    "resolution": "resolution|mitigation|recovery|remediation|resolution and recovery|fix|"
    "how it was fixed|what we did|how did we respond|how we responded|response",
    "lessons": "lessons learned|lessons|what we learned|learnings|what went well|what went wrong",
}
_SECTION_OF = {name: key for key, names in _SECTIONS.items() for name in names.split("|")}

_METRICS = (
    ("latency_p99", 1.0, r"(?:p99|latency)\D{0,40}?(\d[\d,.]*)\s*(ms|milliseconds|s|seconds)\b"),
    ("error_rate", 0.01, r"(?:error|failure)s?(?:\s+rate)?\D{0,40}?(\d[\d.]*)\s*(%|percent)"),
    ("error_rate", 0.01, r"(\d[\d.]*)\s*(%|percent)\s+of\s+(?:all\s+)?(?:requests|calls)\s+fail"),
    ("cpu_util", 0.01, r"cpu\D{0,30}?(\d[\d.]*)\s*(%|percent)"),
    ("memory_util", 0.01, r"memory\D{0,30}?(\d[\d.]*)\s*(%|percent)"),
)


class _PostMortem(NamedTuple):
    """A post-mortem taken apart."""

    title: str
    facts: dict[str, str]
    sections: dict[str, str]


def is_postmortem(text: str) -> bool:
    """Whether a text is Markdown with headings that a post-mortem has."""
    page = _read(text)
    return bool(page.sections.keys() & {"timeline", "cause", "impact", "resolution"})


def report(text: str, *, path: str, problems: list[str], component: str = "") -> IncidentReport:
    """The report that a post-mortem makes, on `component` where it names no service itself;
    InvalidInput when nothing names one."""
    page = _read(text)
    facts = Fields(dict(page.facts), problems)
    component, as_written = _component(facts, component)
    day = _day(facts, path)
    timeline = entries(page.sections.get("timeline", ""), day)
    started = _started(facts, timeline, day)
    if started is None:
        problems.append("date: the post-mortem names none; the time of the incident is unknown")
    severity, word = grade(problems, facts.text("severity", "priority", "sev", "incident severity"))
    ended = _clocked(facts, _ENDED, day, after=started) if day else None
    lessons = prose_of(page.sections.get("lessons", ""))
    tried = attempts(
        timeline,
        resolution=page.sections.get("resolution", ""),
        lessons=lessons,
        started=started,
        ended=ended,
    )
    return IncidentReport(
        component=component,
        timestamp=started,
        severity=severity,
        source_severity=word,
        metrics=metrics_in(Fields(_measured(page), problems)),
        title=prose_of(page.title, limit=200),
        summary=prose_of(_MARK.sub(r"\1", page.sections.get("summary", ""))),
        root_cause=prose_of(_MARK.sub(r"\1", page.sections.get("cause", ""))),
        affected_services=_slugs(
            facts, "affected services", "services affected", "services", "also affected"
        ),
        upstream_deps=_slugs(facts, "dependencies", "depends on", "upstream"),
        outcomes=tuple(tried),
        tags=("post-mortem",),
        extra=as_written,
        source=f"file:{path}",
        pointer=path,
    )


def _read(text: str) -> _PostMortem:
    facts: dict[str, str] = {}
    body = _UNDERLINED.sub(_with_marks, _without_front_matter(text, facts))
    title, name = "", ""
    sections: dict[str, list[str]] = {}
    for line in body.splitlines():
        if heading := _HEADING.match(line):
            words = _MARK.sub(r"\1", heading[2]).strip()
            if not title and len(heading[1]) == 1:
                title = _TITLE.sub("", words)
            key = re.sub(r"\([^)]*\)", "", words).casefold().strip(" :?0123456789.")
            # a sub-heading stays in its section
            name = _SECTION_OF.get(key, name if len(heading[1]) > 2 else "")
            continue
        if name:
            sections.setdefault(name, []).append(line)
        if name not in ("timeline", "lessons") and (fact := _FACT.match(line) or _ROW.match(line)):
            facts.setdefault(fact[1].strip().casefold(), _MARK.sub(r"\1", fact[2]).strip())
    return _PostMortem(title, facts, {key: "\n".join(lines) for key, lines in sections.items()})


def _with_marks(heading: re.Match[str]) -> str:
    """A heading that is underlined, as one that begins with number signs."""
    return f"{'#' if heading[2] == '=' else '##'} {heading[1].rstrip()}"


def _without_front_matter(text: str, facts: dict[str, str]) -> str:
    """The text below its front matter, whose plain values become facts."""
    text = normalised(text.removeprefix("\ufeff"))
    properties, lines, _ = split_front_matter(text)
    for key, value in properties.items():
        if plain := _plain(value):
            facts[key.replace("_", " ")] = plain
    return "\n".join(text.split("\n")[lines:])


def _plain(value: Value) -> str:
    """A value of front matter as text; '' for what is none."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if isinstance(value, bool | dict) or value is None else str(value)


def _component(facts: Fields, given: str) -> tuple[str, Properties]:
    named = {name: facts.text(name).partition(",")[0].strip() for name in _COMPONENT}
    if given and not any(named.values()):
        return given, {}
    try:
        return component_of(named)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; or say which it was with --component") from error


def _slugs(facts: Fields, *names: str) -> tuple[str, ...]:
    found = (slug(each) for name in names for each in facts.names(name))
    return tuple(dict.fromkeys(each for each in found if each))


def _day(facts: Fields, path: str) -> str:
    """The date of the incident as `YYYY-MM-DD`, from the page or the file's name; else ''."""
    name = path.rpartition("/")[2]
    in_name = _FILE_DATE.search(name)
    texts = [facts.text(each) for each in _WHEN]
    texts += ["-".join(map(str, in_name.groups()))] if in_name else []
    return next((day for text in texts if (day := _day_in(text))), "")


def _day_in(text: str) -> str:
    """The first day of the calendar that a text names."""
    for item in find_items(text.lower()):
        if item.interval and (day := item.interval.start) and day.day and day == item.interval.end:
            return f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    return ""


def _started(facts: Fields, timeline: list[TimelineEntry], day: str) -> str | None:
    """When it began: a stated time, else the first entry of the timeline, else the day."""
    if not day:
        return None
    if stated := _clocked(facts, _WHEN, day):
        return stated
    first = next((entry.at for entry in timeline if entry.at), None)
    return first or from_epoch(to_epoch(f"{day}T00:00:00+00:00"))


def _clocked(
    facts: Fields, names: Sequence[str], day: str, *, after: str | None = None
) -> str | None:
    """The first stated clock time, of the day that stands beside it or of `day`; where that lies
    before `after`, of the day that follows."""
    for name in names:
        text = facts.text(name)
        clock = re.search(r"(?<!\d)(\d{1,2}):(\d\d)(?!\d)", text)
        if not clock or int(clock[1]) > 23 or int(clock[2]) > 59:
            continue
        own = _day_in(text)
        moment = to_epoch(f"{own or day}T00:00:00+00:00") + int(clock[1]) * 3600
        moment += int(clock[2]) * 60
        if after is not None and not own and moment < to_epoch(after):
            moment += _DAY_S
        return from_epoch(moment)
    return None


def _measured(page: _PostMortem) -> dict[str, float]:
    text = "\n".join(page.sections.get(name, "") for name in ("summary", "impact"))
    found: dict[str, float] = {}
    for line in _spans(text):
        for name, scale, pattern in _METRICS:
            if name not in found and (match := re.search(pattern, line, re.IGNORECASE)):
                value = float(match[1].replace(",", "").rstrip(".") or 0) * scale
                seconds = name == "latency_p99" and match[2].casefold().startswith("s")
                found[name] = round(value * 1000 if seconds else value, 6)
    return found


def _spans(text: str) -> Iterator[str]:
    """Sentences, bounded: a number belongs to the measure named in its own sentence."""
    for line in re.split(r"(?<=[.;])\s+|\n", text):
        yield line[:500]
