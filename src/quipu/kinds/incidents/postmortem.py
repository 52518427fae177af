"""Post-mortems in Markdown: headings, facts, a timeline, what was tried.

Facts are read from front matter, from lines `**Service:** payments` and from tables of two
columns; sections are known by their headings (`postmortem.toml`). What was tried is read from the
timeline: an action after which another was needed did not work; the last one worked when the
incident ended.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import HealingAction, IncidentReport, OutcomeReport
from quipu.kinds.incidents.vendors import component_of, grade, metrics_in
from quipu.read.decode import normalised
from quipu.read.fields import Fields, prose_of, slug
from quipu.read.markdown import read_markdown
from quipu.records.record import Value
from quipu.when.dates import find_items
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["actions_in", "read_postmortem"]


def _any(words: Iterable[str], *, end: str = r"\b") -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)}){end}", re.IGNORECASE)


_WORDING: dict[str, dict[str, list[str]]] = tomllib.loads(
    files("quipu.kinds.incidents").joinpath("postmortem.toml").read_text("utf-8")
)
_FACTS = _WORDING["facts"]
_SECTION_OF = {name: key for key, names in _WORDING["sections"].items() for name in names}
_ACTIONS = {HealingAction(name): _any(words) for name, words in _WORDING["actions"].items()}
_ENDED = _any(_WORDING["words"]["ended"])
_UNDONE = _any(_WORDING["words"]["undone"], end=r"\b[^.;]{0,40}$")
_TELLING = {"timeline", "cause", "impact", "resolution"}
"""The sections that only a post-mortem has."""
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
_LONGEST_TITLE, _LONGEST_LESSONS = 200, 500
_SURE_WHERE_STATED, _SURE_BY_ORDER = 0.95, 0.8
"""How sure an attempt is: the resolution names what was done; only the order of lines says so."""


class _Page(NamedTuple):
    """A post-mortem taken apart; `day` is the date of the incident as `YYYY-MM-DD`, or ''."""

    title: str
    facts: Fields
    sections: dict[str, str]
    day: str

    def stated(self, what: str) -> Iterator[str]:
        """The facts of a name."""
        return filter(None, (self.facts.text(name) for name in _FACTS[what]))

    def services(self, what: str) -> tuple[str, ...]:
        """The services that the facts of a name list."""
        found = (slug(one) for name in _FACTS[what] for one in self.facts.names(name))
        return tuple(dict.fromkeys(filter(None, found)))

    def moment(self, what: str, *, after: str | None = None) -> str | None:
        """The first stated clock time of a name."""
        return next((at for t in self.stated(what) if (at := _clocked(t, self.day, after))), None)

    def prose(self, section: str) -> str:
        """A section without its marks."""
        return prose_of(_MARK.sub(r"\1", self.sections.get(section, "")))


def read_postmortem(
    text: str, problems: list[str], *, path: str, component: str = ""
) -> IncidentReport | None:
    """Return the report that a post-mortem makes, on `component` where it names no service itself;
    None where it has no heading that a post-mortem has, InvalidInput when nothing names a
    service."""
    page = _parsed(text, problems, path)
    if page is None:
        return None
    named = {name: page.facts.text(name).partition(",")[0].strip() for name in _FACTS["component"]}
    try:
        component, extra = component_of(
            named if any(named.values()) or not component else {"": component}
        )
    except InvalidInput as error:
        raise InvalidInput(f"{error}; or say which it was with --component") from error
    entries = list(_entries(page.sections.get("timeline", ""), page.day))
    started = page.moment("began")
    if started is None and page.day:
        started = next((at for at, _ in entries if at), None) or f"{page.day}T00:00:00.000Z"
    if started is None:
        problems.append("date: the post-mortem names none; the time of the incident is unknown")
    severity, word = grade(problems, next(page.stated("severity"), ""))
    return IncidentReport(
        component=component,
        timestamp=started,
        severity=severity,
        source_severity=word,
        metrics=metrics_in(page.facts),
        title=prose_of(page.title, limit=_LONGEST_TITLE),
        summary=page.prose("summary"),
        root_cause=page.prose("cause"),
        affected_services=page.services("affected"),
        upstream_deps=page.services("needs"),
        outcomes=tuple(_outcomes(page, entries, started)),
        tags=("post-mortem",),
        extra=extra,
        source=f"file:{path}",
        pointer=path,
    )


def _parsed(text: str, problems: list[str], path: str) -> _Page | None:
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
    if not sections.keys() & _TELLING:
        return None
    in_name = _FILE_DATE.search(path.rpartition("/")[2])
    dated = [facts.get(name, "") for name in _FACTS["began"]]
    dated += ["-".join(in_name.groups())] if in_name else []
    day = next((day for written in dated if (day := _day_in(written))), "")
    return _Page(_TITLE.sub("", reading.title), Fields(facts, problems), sections, day)


def _folded(heading: str) -> str:
    return re.sub(r"\([^)]*\)", "", heading).casefold().strip(" :?0123456789.")


def _plain(value: Value) -> str:
    """A value of front matter as text; '' for what is none."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if isinstance(value, bool | dict) or value is None else str(value)


def _day_in(text: str) -> str:
    for item in find_items(text.lower()):
        if item.interval and (day := item.interval.start) and day.day and day == item.interval.end:
            return f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    return ""


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
    page: _Page, entries: list[tuple[str | None, str]], started: str | None
) -> Iterator[OutcomeReport]:
    """Each attempt, the earliest first. Calling people alone is none."""
    tried = [(actions, at) for at, text in entries if (actions := actions_in(text))]
    ends = [at for at, text in entries if _says(_ENDED, text)]
    ended = page.moment("ended", after=started)
    over = next((at for at in (ended, *reversed(ends)) if at), None)
    stated = actions_in(page.sections.get("resolution", ""))
    if stated and not any(set(stated) & set(actions) for actions, _ in tried):
        tried.append((stated, over))
    lessons = prose_of(page.sections.get("lessons", ""), limit=_LONGEST_LESSONS)
    for number, (actions, at) in enumerate(tried, 1):
        worked = number == len(tried) and bool(ends or ended or stated)
        moment = (over if worked else None) or at
        took = (to_epoch(moment) - to_epoch(started)) / 60 if moment and started else -1
        yield OutcomeReport(
            actions_taken=actions,
            success=worked,
            resolution_time_minutes=round(took, 1) if worked and took >= 0 else None,
            lessons_learned=lessons if worked else "",
            recorded_at=moment,
            confidence=_SURE_WHERE_STATED if set(actions) & set(stated) else _SURE_BY_ORDER,
        )


def actions_in(text: str) -> tuple[str, ...]:
    """Return the actions that a text says were taken; calling people counts beside another only."""
    found = [str(action) for action, said in _ACTIONS.items() if _says(said, text)]
    return tuple(found) if found != [HealingAction.ALERT_TEAM] else ()


def _says(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text says so, and neither denies nor only intends it."""
    return any(
        not _UNDONE.search(text[max(0, match.start() - 60) : match.start()])
        for match in pattern.finditer(text)
    )
