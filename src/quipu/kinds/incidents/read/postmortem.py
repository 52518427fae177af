"""Post-mortems in Markdown: headings, a timeline, impact, root cause, actions.

Facts are read from front matter, from lines `**Service:** payments` and from tables of two
columns. Sections are known by their headings. What was tried is read from the timeline: an
action after which another was needed did not work; the last one worked when the incident ended.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import HealingAction, IncidentReport, OutcomeReport
from quipu.kinds.incidents.read.foreign import component_of, grade, metrics_in
from quipu.read.decode import normalised
from quipu.read.fields import Fields, prose_of, slug
from quipu.read.front_matter import split_front_matter
from quipu.records.record import Properties, Value
from quipu.when.dates import find_items
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["actions_in", "is_postmortem", "report"]

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$")
_UNDERLINED = re.compile(r"^([^\s|#>*+-].{0,200})\n(=|-)\2{2,}[ \t]*$", re.MULTILINE)
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
    r"^[\s|*+>-]*\[?(?:(?P<day>\d{4}-\d\d-\d\d)[T ]+)?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"
    r"(?::\d\d)?\]?\s*(?:Z|UTC|GMT)?[\s|*:–—-]+(?P<text>\S.*)$"
)
_DAY_S = 86_400

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

_METRICS = (
    ("latency_p99", 1.0, r"(?:p99|latency)\D{0,40}?(\d[\d,.]*)\s*(ms|milliseconds|s|seconds)\b"),
    ("error_rate", 0.01, r"(?:error|failure)s?(?:\s+rate)?\D{0,40}?(\d[\d.]*)\s*(%|percent)"),
    ("error_rate", 0.01, r"(\d[\d.]*)\s*(%|percent)\s+of\s+(?:all\s+)?(?:requests|calls)\s+fail"),
    ("cpu_util", 0.01, r"cpu\D{0,30}?(\d[\d.]*)\s*(%|percent)"),
    ("memory_util", 0.01, r"memory\D{0,30}?(\d[\d.]*)\s*(%|percent)"),
)
_COPIES = r"(?:replicas|instances|nodes|pods|workers|consumers|capacity)"
_ACTIONS = {
    HealingAction.RESTART_CONTAINER: r"restart(?:ed|ing)?|rebooted|bounced",
    HealingAction.SCALE_OUT: (
        r"scal(?:ed|ing|e)\s+(?:out|up)"
        rf"|(?:scal|add|increas)(?:ed|ing|e)\s+(?:(?!down\b)\w+\s+){{0,3}}{_COPIES}\b(?!\s+down)"
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
_IN_VAIN = re.compile(
    r"\b(?:no effect|without effect|no improvement|in vain|still (?:failing|slow|high|elevated"
    r"|erroring)|did(?: not|n't) (?:help|work)|made (?:it|things) worse|c[ao]mes? back"
    r"|returned after)\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"\b(?:not|no|never|n't|without|partially|will|should|plan(?:ned|s)?\s+to|consider(?:ed|ing)?"
    r"|decided|discuss(?:ed|ing)?|before|prepar(?:ed|ing)|ready to|instead of)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
"""What stands before a word that says something was not, or not yet, done."""
_STATED, _READ = 0.95, 0.8
"""How sure an attempt is: the resolution names what was done; only the order of lines says so."""


class _PostMortem(NamedTuple):
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
        return tuple(dict.fromkeys(each for each in found if each))

    def prose(self, section: str, *, limit: int = 1_500) -> str:
        """A section without its marks."""
        return prose_of(_MARK.sub(r"\1", self.sections.get(section, "")), limit=limit)


class _Entry(NamedTuple):
    """A line of a timeline; `at` is None when the day is unknown."""

    at: str | None
    text: str


class _Attempt(NamedTuple):
    actions: tuple[str, ...]
    at: str | None
    in_vain: bool = False


def is_postmortem(text: str) -> bool:
    """Whether a text is Markdown with headings that a post-mortem has."""
    page = _read(text, [])
    return bool(page.sections.keys() & {"timeline", "cause", "impact", "resolution"})


def report(text: str, *, path: str, problems: list[str], component: str = "") -> IncidentReport:
    """The report that a post-mortem makes, on `component` where it names no service itself;
    InvalidInput when nothing names one."""
    page = _read(text, problems)
    component, as_written = _component(page.facts, component)
    day = _day(page, path)
    entries = _entries(page.sections.get("timeline", ""), day)
    started = _clocked(page, "began", day)
    if started is None and day:
        started = next((e.at for e in entries if e.at), None) or from_epoch(_midnight(day))
    if started is None:
        problems.append("date: the post-mortem names none; the time of the incident is unknown")
    severity, word = grade(problems, page.fact("severity"))
    ended = _clocked(page, "ended", day, after=started)
    return IncidentReport(
        component=component,
        timestamp=started,
        severity=severity,
        source_severity=word,
        metrics=metrics_in(Fields(_measured(page), problems)),
        title=prose_of(page.title, limit=200),
        summary=page.prose("summary"),
        root_cause=page.prose("cause"),
        affected_services=page.slugs("affected"),
        upstream_deps=page.slugs("needs"),
        outcomes=_outcomes(entries, page, started, ended),
        tags=("post-mortem",),
        extra=as_written,
        source=f"file:{path}",
        pointer=path,
    )


def _read(text: str, problems: list[str]) -> _PostMortem:
    text = normalised(text.removeprefix("\ufeff"))
    properties, lines, _ = split_front_matter(text)
    plain = {key.replace("_", " "): _plain(value) for key, value in properties.items()}
    facts = {key: value for key, value in plain.items() if value}
    body = _UNDERLINED.sub(
        lambda heading: f"{'#' if heading[2] == '=' else '##'} {heading[1].rstrip()}",
        "\n".join(text.split("\n")[lines:]),
    )
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
        if name not in ("timeline", "lessons") and (fact := _FACT.match(line)):
            facts.setdefault(fact[1].strip().casefold(), _MARK.sub(r"\1", fact[2]).strip())
    joined = {key: "\n".join(lines) for key, lines in sections.items()}
    return _PostMortem(title, Fields(facts, problems), joined)


def _plain(value: Value) -> str:
    """A value of front matter as text; '' for what is none."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if isinstance(value, bool | dict) or value is None else str(value)


def _component(facts: Fields, given: str) -> tuple[str, Properties]:
    names = _NAMES["component"].split("|")
    named = {name: facts.text(name).partition(",")[0].strip() for name in names}
    if given and not any(named.values()):
        return given, {}
    try:
        return component_of(named)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; or say which it was with --component") from error


def _day(page: _PostMortem, path: str) -> str:
    """The date of the incident as `YYYY-MM-DD`, from the page or the file's name; else ''."""
    in_name = _FILE_DATE.search(path.rpartition("/")[2])
    texts = [page.facts.text(each) for each in _NAMES["began"].split("|")]
    texts += ["-".join(in_name.groups())] if in_name else []
    return next((day for text in texts if (day := _day_in(text))), "")


def _day_in(text: str) -> str:
    """The first day of the calendar that a text names."""
    for item in find_items(text.lower()):
        if item.interval and (day := item.interval.start) and day.day and day == item.interval.end:
            return f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    return ""


def _midnight(day: str) -> float:
    return to_epoch(f"{day}T00:00:00+00:00")


def _clocked(page: _PostMortem, what: str, day: str, *, after: str | None = None) -> str | None:
    """The first stated clock time, of the day that stands beside it or of `day`; where that lies
    before `after`, of the day that follows."""
    for name in _NAMES[what].split("|"):
        text = page.facts.text(name)
        clock, own = _CLOCK.search(text), _day_in(text)
        if clock and (own or day):
            moment = _midnight(own or day) + int(clock[1]) * 3600 + int(clock[2]) * 60
            late = after is not None and not own and moment < to_epoch(after)
            return from_epoch(moment + _DAY_S * late)
    return None


def _measured(page: _PostMortem) -> dict[str, float]:
    """The first value of each metric; a number belongs to the measure named in its sentence."""
    text = "\n".join(page.sections.get(name, "") for name in ("summary", "impact"))
    found: dict[str, float] = {}
    for sentence in re.split(r"(?<=[.;])\s+|\n", text):
        for name, scale, pattern in _METRICS:
            match = re.search(pattern, sentence[:500], re.IGNORECASE)
            if match and name not in found:
                unit = 1000.0 if match[2].casefold() in ("s", "seconds") else scale
                value = float(match[1].replace(",", "").rstrip(".") or 0)
                found[name] = round(value * unit, 6)
    return found


def _entries(timeline: str, day: str) -> list[_Entry]:
    """The lines of a timeline in their order; a clock that goes back begins the next day."""
    found: list[_Entry] = []
    base = _midnight(day) if day else None
    last = -1.0
    for line in timeline.splitlines():
        match = _ENTRY.match(line)
        if match is None:
            if found and line.strip() and line[:1] in " \t":
                found[-1] = found[-1]._replace(text=f"{found[-1].text} {line.strip()}")
            continue
        if match["day"] and (own := _day_in(match["day"])):
            base, last = _midnight(own), -1.0
        text = match["text"].strip(" |")
        if base is None:
            found.append(_Entry(None, text))
            continue
        clock = int(match["hour"]) * 3600 + int(match["minute"]) * 60
        if base + clock < last:
            base += _DAY_S
        last = base + clock
        found.append(_Entry(from_epoch(last), text))
    return found


def _outcomes(
    entries: Sequence[_Entry], page: _PostMortem, started: str | None, ended: str | None
) -> tuple[OutcomeReport, ...]:
    """Each attempt, the earliest first. Calling people alone is none."""
    tried: list[_Attempt] = []
    over, closed = ended, ended is not None
    for entry in entries:
        if actions := actions_in(entry.text):
            tried.append(_Attempt(actions, entry.at))
        if _IN_VAIN.search(entry.text):
            tried[-1:] = [each._replace(in_vain=True) for each in tried[-1:]]
        elif _says(_ENDED, entry.text):
            closed, over = True, entry.at or over
            tried[-1:] = [each._replace(in_vain=False) for each in tried[-1:]]
    stated = actions_in(page.sections.get("resolution", ""))
    if stated:
        closed = True
        if not any(set(stated) & set(each.actions) for each in tried):
            tried.append(_Attempt(stated, over))
    lessons = prose_of(page.sections.get("lessons", ""), limit=500)
    made: list[OutcomeReport] = []
    for each in tried:
        worked = each is tried[-1] and closed and not each.in_vain
        moment = (over if worked else None) or each.at
        took = (to_epoch(moment) - to_epoch(started)) / 60 if moment and started else -1
        made.append(
            OutcomeReport(
                actions_taken=each.actions,
                success=worked,
                resolution_time_minutes=round(took, 1) if worked and took >= 0 else None,
                lessons_learned=lessons if worked else "",
                recorded_at=moment,
                confidence=_STATED if set(each.actions) & set(stated) else _READ,
            )
        )
    return tuple(made)


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
