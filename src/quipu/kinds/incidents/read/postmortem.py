"""Post-mortems in Markdown: headings, a timeline, root cause, actions.

Facts are read from front matter, from lines `**Service:** payments` and from tables of two
columns; sections are known by their headings. What was tried is read from the timeline: an action
after which another was needed did not work; the last one worked when the incident ended.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import HealingAction, IncidentReport, OutcomeReport
from quipu.kinds.incidents.read.reports import component_of, grade, metrics_in
from quipu.read.decode import normalised
from quipu.read.fields import Fields, prose_of, slug
from quipu.read.markdown import read_markdown
from quipu.records.record import Properties, Value
from quipu.when.dates import find_items
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["actions_in", "parsed", "report"]

_FACT = re.compile(
    r"^[-*+| \t]{0,6}([A-Za-z][A-Za-z /()]{2,40}?)"
    r"(?:\*{0,2}:\*{0,2}[ \t]+|:?\*{0,2}[ \t]*\|[ \t]*)([^|]+?)[ \t|]*$"
)
_MARK = re.compile(r"[*_`]|\[([^\]]*)\]\([^)]*\)")
_TITLE = re.compile(
    r"^(?:incident\s+)?(?:post[- ]?mortem|incident report|rca|retrospective)(?:\s*[:–—-]\s*|\s+)",
    re.IGNORECASE,
)
_FILE_DATE = re.compile(r"(\d{4})[-_]?(\d\d)[-_]?(\d\d)")
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_ENTRY = re.compile(
    r"^[\s|*+>\[-]*((?:\d{4}-\d\d-\d\d[T ]+)?(?:[01]?\d|2[0-3]):[0-5]\d)(?::\d\d)?\]?"
    r"\s*(?:Z|UTC|GMT)?[\s|*:–—-]+(\S.*)$"
)
_DAY_S = 86_400
_LONGEST_LESSONS = 500
_STATED_SURE, _READ_SURE = 0.95, 0.8
"""How sure an attempt is: the resolution names what was done; only the order of lines says so."""

_NAMES = {
    "component": "component|service|affected service|primary service|system|affected component|"
    "affected services|services affected|services",
    "began": "start time|started|start|incident start|began|date and time|date|incident date|"
    "timestamp|time",
    "ended": "end time|ended|end|incident end|resolved|resolved at|resolution time|mitigated at",
    "severity": "severity|priority|sev|incident severity",
    "affected": "affected services|services affected|services|also affected",
    "needs": "dependencies|depends on|upstream",
}
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
_OF_A_POSTMORTEM = {"timeline", "cause", "impact", "resolution"}
_ACTIONS = {
    HealingAction.RESTART_CONTAINER: r"restart(?:ed|ing)?|rebooted|bounced",
    HealingAction.SCALE_OUT: (
        r"scal(?:ed|ing|e)\s+(?:out|up)|(?:scal|add|increas)(?:ed|ing|e)\s+(?:(?!down\b)\w+\s+)"
        r"{0,3}(?:replicas|instances|nodes|pods|workers|consumers|capacity)\b(?!\s+down)"
    ),
    HealingAction.TRAFFIC_SHIFT: (
        r"(?:shift|drain)(?:ed|ing)?\s+(?:\w+\s+){0,3}(?:traffic|nodes?|zones?|regions?|clusters?)"
        r"|traffic\s+(?:was\s+)?(?:shifted|moved|drained)|fail(?:ed|ing)?[- ]?over|re-?routed"
    ),
    HealingAction.CIRCUIT_BREAKER: r"circuit[- ]breaker|shed(?:ding)?\s+load",
    HealingAction.ROLLBACK: r"roll(?:ed|ing)?[- ]?back|revert(?:ed|ing)?",
    HealingAction.ALERT_TEAM: (
        r"paged|alerted|escalated\s+to|on-?call\s+(?:was\s+)?(?:notified|called)"
    ),
}
_PATTERNS = {
    action: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for action, pattern in _ACTIONS.items()
}
_ENDED = re.compile(
    r"\b(?:resolved|recovered|mitigated|back to normal|all clear|restored|returned to normal"
    r"|incident (?:was )?closed|healthy again)\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"\b(?:not|no|never|n't|without|partially|will|should|plan(?:ned|s)?\s+to|consider(?:ed|ing)?"
    r"|decided|discuss(?:ed|ing)?|before|prepar(?:ed|ing)|ready to|instead of)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
"""What stands before a word that says something was not, or not yet, done."""


class PostMortem(NamedTuple):
    """A post-mortem taken apart."""

    title: str
    facts: Fields
    sections: dict[str, str]

    def fact(self, what: str) -> str:
        """The first stated fact of a name."""
        return self.facts.text(*_NAMES[what].split("|"))

    def slugs(self, what: str) -> tuple[str, ...]:
        """The services that the facts of a name list."""
        found = (slug(each) for name in _NAMES[what].split("|") for each in self.facts.names(name))
        return tuple(dict.fromkeys(filter(None, found)))

    def prose(self, section: str) -> str:
        """A section without its marks."""
        return prose_of(_MARK.sub(r"\1", self.sections.get(section, "")))


class _Attempt(NamedTuple):
    actions: tuple[str, ...]
    at: str | None


def parsed(text: str, problems: list[str]) -> PostMortem | None:
    """A text taken apart; None where it has no heading that a post-mortem has."""
    reading = read_markdown(normalised(text.removeprefix("\ufeff")))
    plain = {key.replace("_", " "): _plain(value) for key, value in reading.properties.items()}
    facts = {key: value for key, value in plain.items() if value}
    sections: dict[str, str] = {}
    for part in reading.sections:
        lines = reading.text.split("\n")[part.start_line - 1 : part.end_line]
        names = filter(None, (_SECTION_OF.get(_folded(heading)) for heading in part.path))
        name = ["", *names][-1]  # a sub-heading stays in its section
        if name:
            body = [line for line in lines[1:] if line.strip("=- ") or not line]  # no underlines
            sections[name] = "\n".join([*sections.get(name, "").splitlines(), *body])
        if name not in ("timeline", "lessons"):
            for fact in filter(None, map(_FACT.match, lines)):
                facts.setdefault(fact[1].strip().casefold(), _MARK.sub(r"\1", fact[2]).strip())
    if not sections.keys() & _OF_A_POSTMORTEM:
        return None
    title = _TITLE.sub("", reading.title)
    return PostMortem(title, Fields(facts, problems), sections)


def _folded(heading: str) -> str:
    return re.sub(r"\([^)]*\)", "", heading).casefold().strip(" :?0123456789.")


def _plain(value: Value) -> str:
    """A value of front matter as text; '' for what is none."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if isinstance(value, bool | dict) or value is None else str(value)


def report(page: PostMortem, *, path: str, component: str = "") -> IncidentReport:
    """The report that a post-mortem makes, on `component` where it names no service itself;
    InvalidInput when nothing names one."""
    component, as_written = _component(page.facts, component)
    problems = page.facts.problems
    day = _day(page, path)
    entries = list(_entries(page.sections.get("timeline", ""), day))
    started = _moment(page, "began", day)
    if started is None and day:
        started = next((at for at, _ in entries if at), None) or f"{day}T00:00:00.000Z"
    if started is None:
        problems.append("date: the post-mortem names none; the time of the incident is unknown")
    severity, word = grade(problems, page.fact("severity"))
    ended = _moment(page, "ended", day, after=started)
    return IncidentReport(
        component=component,
        timestamp=started,
        severity=severity,
        source_severity=word,
        metrics=metrics_in(page.facts),
        title=prose_of(page.title, limit=200),
        summary=page.prose("summary"),
        root_cause=page.prose("cause"),
        affected_services=page.slugs("affected"),
        upstream_deps=page.slugs("needs"),
        outcomes=tuple(_outcomes(entries, page, started, ended)),
        tags=("post-mortem",),
        extra=as_written,
        source=f"file:{path}",
        pointer=path,
    )


def _component(facts: Fields, given: str) -> tuple[str, Properties]:
    names = _NAMES["component"].split("|")
    named = {name: facts.text(name).partition(",")[0].strip() for name in names}
    if given and not any(named.values()):
        return given, {}
    try:
        return component_of(named)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; or say which it was with --component") from error


def _day(page: PostMortem, path: str) -> str:
    """The date of the incident as `YYYY-MM-DD`, from the page or the file's name; else ''."""
    in_name = _FILE_DATE.search(path.rpartition("/")[2])
    texts = [page.facts.text(each) for each in _NAMES["began"].split("|")]
    if in_name:
        texts.append("-".join(in_name.groups()))
    return next((day for text in texts if (day := _day_in(text))), "")


def _day_in(text: str) -> str:
    for item in find_items(text.lower()):
        if item.interval and (day := item.interval.start) and day.day and day == item.interval.end:
            return f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    return ""


def _moment(page: PostMortem, what: str, day: str, *, after: str | None = None) -> str | None:
    """The first stated clock time of a name."""
    texts = (page.facts.text(name) for name in _NAMES[what].split("|"))
    return next((at for text in texts if (at := _clocked(text, day, after))), None)


def _clocked(text: str, day: str, after: str | None) -> str | None:
    """The clock time in a text, of the day that stands beside it or of `day`; where that lies
    before `after`, of the day that follows."""
    clock, own = _CLOCK.search(text), _day_in(text)
    if clock is None or not (own or day):
        return None
    at = to_epoch(f"{own or day}T{int(clock[1]):02d}:{clock[2]}:00+00:00")
    late = after is not None and not own and at < to_epoch(after)
    return from_epoch(at + _DAY_S * late)


def _entries(timeline: str, day: str) -> Iterator[tuple[str | None, str]]:
    """The lines of a timeline with their times, None where the day is unknown; a clock that goes
    back begins the next day."""
    last: str | None = None
    for line in timeline.splitlines():
        if match := _ENTRY.match(line):
            last = _clocked(match[1], last[:10] if last else day, last) or last
            yield last, match[2].strip(" |")


def _outcomes(
    entries: Sequence[tuple[str | None, str]],
    page: PostMortem,
    started: str | None,
    ended: str | None,
) -> Iterator[OutcomeReport]:
    """Each attempt, the earliest first. Calling people alone is none."""
    tried = [_Attempt(actions, at) for at, text in entries if (actions := actions_in(text))]
    ends = [at for at, text in entries if _says(_ENDED, text)]
    over = next((at for at in (ended, *reversed(ends)) if at), None)
    stated = actions_in(page.sections.get("resolution", ""))
    if stated and not any(set(stated) & set(each.actions) for each in tried):
        tried.append(_Attempt(stated, over))
    closed = bool(ends or ended or stated)
    lessons = prose_of(page.sections.get("lessons", ""), limit=_LONGEST_LESSONS)
    for attempt in tried:
        worked = attempt is tried[-1] and closed
        moment = (over if worked else None) or attempt.at
        took = (to_epoch(moment) - to_epoch(started)) / 60 if moment and started else -1
        yield OutcomeReport(
            actions_taken=attempt.actions,
            success=worked,
            resolution_time_minutes=round(took, 1) if worked and took >= 0 else None,
            lessons_learned=lessons if worked else "",
            recorded_at=moment,
            confidence=_STATED_SURE if set(attempt.actions) & set(stated) else _READ_SURE,
        )


def actions_in(text: str) -> tuple[str, ...]:
    """The actions that a text says were taken; calling people counts beside another only."""
    found = [str(action) for action, pattern in _PATTERNS.items() if _says(pattern, text)]
    return tuple(found) if found != [HealingAction.ALERT_TEAM] else ()


def _says(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text says so, and neither denies nor only intends it."""
    return any(
        not _UNDONE.search(text[max(0, match.start() - 60) : match.start()])
        for match in pattern.finditer(text)
    )
