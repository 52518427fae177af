"""Post-mortems in Markdown: headings, facts, a timeline, what was tried.

Facts are read from front matter, from lines `**Service:** payments` and from tables of two
columns; sections are known by their headings (`wording.toml`). What was tried is read from the
timeline: an action after which another was needed did not work; the last one worked when the
incident ended.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import WORDING, HealingAction, component_of, measured
from quipu.limits import LONGEST_LINE
from quipu.read.decode import normalised
from quipu.read.fields import slug
from quipu.read.markdown import read_markdown
from quipu.records.record import Value
from quipu.when.dates import find_items
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["actions_in", "read_postmortem"]


def _any(words: Iterable[str], *, end: str = r"\b") -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)}){end}", re.IGNORECASE)


_FACTS = WORDING["facts"]
_SECTION_OF = {name: key for key, names in WORDING["sections"].items() for name in names}
_ACTIONS = {HealingAction(name): _any(words) for name, words in WORDING["actions"].items()}
_ENDED = _any(WORDING["words"]["ended"])
_UNDONE = _any(WORDING["words"]["undone"], end=r"\b[^.;]{0,40}$")
_TITLE = _any(WORDING["words"]["title"], end=r"(?:\s*[:–—-]\s*|\s+)")
_TELLING = {"timeline", "cause", "impact", "resolution"}
"""The sections that only a post-mortem has."""
_FACT = re.compile(
    r"^[-*+| \t]{0,6}([A-Za-z][A-Za-z /()]{2,40}?)"
    r"(?:\*{0,2}:\*{0,2}[ \t]+|:?\*{0,2}[ \t]*\|[ \t]*)([^|]+?)[ \t|]*$"
)
_MARK = re.compile(r"[*_`]|\[([^\]]{0,500})\]\([^)]{0,2000}\)")
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_ENTRY = re.compile(
    rf"^[\s|*+>\[-]*((?:\d{{4}}-\d\d-\d\d[T ]+)?{_CLOCK.pattern})(?::\d\d)?\]?"
    r"\s*(?:Z|UTC|GMT)?[\s|*:–—-]+(\S.*)$"
)
_DAY_S = 86_400
_SURE_WHERE_STATED, _SURE_BY_ORDER = 0.95, 0.8
"""How sure an attempt is: the resolution names what was done; only the order of lines says so."""


class _Page(NamedTuple):
    """A post-mortem taken apart; `day` is the date of the incident as `YYYY-MM-DD`, or ''."""

    title: str
    facts: dict[str, str]
    sections: dict[str, str]
    day: str

    def stated(self, what: str) -> list[str]:
        """The facts of a name."""
        return [self.facts[name] for name in _FACTS[what] if name in self.facts]

    def services(self, what: str) -> list[str]:
        """The services that the facts of a name list."""
        return [
            name for fact in self.stated(what) for one in fact.split(",") if (name := slug(one))
        ]

    def moment(self, what: str, *, after: str | None = None) -> str | None:
        """The first stated clock time of a name."""
        return next((at for t in self.stated(what) if (at := _clocked(t, self.day, after))), None)

    def text(self, section: str) -> str:
        """A section without its marks."""
        return _MARK.sub(r"\1", self.sections.get(section, ""))


def read_postmortem(
    text: str, problems: list[str], *, path: str, component: str = ""
) -> dict[str, Any] | None:
    """Return a post-mortem as a record of our own words, on `component` where it names no service
    itself; None where it has no heading that a post-mortem has, InvalidInput when nothing names a
    service."""
    page = _parsed(text, path)
    if page is None:
        return None
    named = {name: page.facts.get(name, "").partition(",")[0] for name in _FACTS["component"]}
    try:
        component, extra = component_of(
            named if any(named.values()) or not component else {"": component}
        )
    except InvalidInput as error:
        raise InvalidInput(f"{error}; or say which it was with --component") from error
    entries = list(_entries(page.sections.get("timeline", ""), page.day))
    began = page.moment("began")
    if began is None and page.day:
        began = next((at for at, _ in entries if at), f"{page.day}T00:00:00.000Z")
    if began is None:
        problems.append("date: the post-mortem names none; the time of the incident is unknown")
    return {
        **extra,
        "component": component,
        "timestamp": began,
        "severity": next(iter(page.stated("severity")), ""),
        "metrics": measured([page.facts]),
        "title": page.title,
        "summary": page.text("summary"),
        "root_cause": page.text("cause"),
        "affected_services": page.services("affected"),
        "upstream_deps": page.services("needs"),
        "outcomes": list(_outcomes(page, entries, began)),
        "tags": ["post-mortem"],
        "source": f"file:{path}",
        "pointer": path,
    }


def _parsed(text: str, path: str) -> _Page | None:
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
            for fact in filter(None, map(_FACT.match, _short(lines))):
                facts.setdefault(fact[1].strip().casefold(), _MARK.sub(r"\1", fact[2]).strip())
    if not sections.keys() & _TELLING:
        return None
    page = _Page(_untitled(reading.title), facts, sections, "")
    dated = (*page.stated("began"), path.rpartition("/")[2])
    return page._replace(day=next((day for told in dated if (day := _day_in(told))), ""))


def _short(lines: Iterable[str]) -> Iterator[str]:
    """The lines that may state a fact; matching takes the square of the length of one."""
    return (line for line in lines if len(line) <= LONGEST_LINE)


def _untitled(title: str) -> str:
    """A title without the word that says what the page is."""
    named = _TITLE.match(title)
    return title[named.end() :] if named else title


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
    for match in filter(None, map(_ENTRY.match, _short(timeline.splitlines()))):
        last = _clocked(match[1], last[:10] if last else day, last) or last
        yield last, match[4].strip(" |")


def _outcomes(
    page: _Page, entries: list[tuple[str | None, str]], began: str | None
) -> Iterator[dict[str, Any]]:
    """Each attempt, the earliest first. Calling people alone is none."""
    tried = [(actions, at) for at, text in entries if (actions := actions_in(text))]
    ends = [at for at, text in entries if _says(_ENDED, text)]
    ended = page.moment("ended", after=began)
    over = next((at for at in (ended, *reversed(ends)) if at), None)
    stated = actions_in(page.sections.get("resolution", ""))
    if stated and not any(set(stated) & set(actions) for actions, _ in tried):
        tried.append((stated, over))
    for number, (actions, at) in enumerate(tried, 1):
        worked = number == len(tried) and bool(ends or ended or stated)
        moment = (over if worked else None) or at
        took = (to_epoch(moment) - to_epoch(began)) / 60 if moment and began else -1
        yield {
            "actions_taken": [*actions],
            "success": worked,
            "resolution_time_minutes": round(took, 1) if worked and took >= 0 else None,
            "lessons_learned": page.sections.get("lessons", "") if worked else "",
            "recorded_at": moment,
            "confidence": _SURE_WHERE_STATED if set(actions) & set(stated) else _SURE_BY_ORDER,
        }


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
