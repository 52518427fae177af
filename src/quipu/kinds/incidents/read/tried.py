"""What was tried, read from a timeline: which action, when, and whether it was enough."""

import re
from typing import NamedTuple

from quipu.kinds.incidents.model import HealingAction, OutcomeReport
from quipu.read.fields import prose_of
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["TimelineEntry", "actions_in", "attempts", "entries"]

_ENTRY = re.compile(
    r"^[\s|*+>-]*\[?(?:(?P<day>\d{4}-\d\d-\d\d)[T ]+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d)?"
    r"\]?\s*(?:Z|UTC|GMT)?[\s|*:–—-]+(?P<text>\S.*)$"
)
_ACTIONS: dict[HealingAction, re.Pattern[str]] = {
    HealingAction(action): re.compile("|".join(patterns), re.IGNORECASE)
    for action, patterns in {
        "restart_container": (r"\brestart(?:ed|ing)?\b", r"\brebooted\b", r"\bbounced\b"),
        "scale_out": (
            r"\bscal(?:ed|ing|e)\s+(?:out|up)\b",
            (
                r"\bscal(?:ed|ing|e)\s+(?!down\b)(?:(?!down\b)\w+\s+){0,3}"
                r"(?:replicas|instances|nodes|pods|workers|consumers)\b(?!\s+down)"
            ),
            r"\badd(?:ed|ing)\s+(?:\w+\s+){0,3}(?:replicas|instances|nodes|pods|workers)\b",
            r"\b(?:add|increas)(?:ed|ing)\s+(?:\w+\s+){0,2}(?:replicas|capacity)\b",
        ),
        "traffic_shift": (
            r"\bshift(?:ed|ing)?\s+(?:\w+\s+){0,3}traffic\b",
            r"\btraffic\s+(?:was\s+)?(?:shifted|moved|drained|rerouted)\b",
            r"\bfail(?:ed|ing)?[- ]?over\b",
            (
                r"\bdrain(?:ed|ing)\s+(?:\w+\s+){0,3}"
                r"(?:traffic|nodes?|hosts?|zones?|regions?|clusters?|servers?|instances?|connections)\b"
            ),
            r"\bre-?routed\b",
        ),
        "circuit_breaker": (r"\bcircuit[- ]breaker\b", r"\bshed(?:ding)?\s+load\b"),
        "rollback": (r"\broll(?:ed|ing)?[- ]?back\b", r"\brevert(?:ed|ing)?\b"),
        "alert_team": (
            r"\bpaged\b",
            r"\balerted\b",
            r"\bescalated\s+to\b",
            r"\bon-?call\s+(?:was\s+)?(?:notified|called)\b",
        ),
    }.items()
}
_INTENDED = re.compile(
    r"\b(?:will|should|plan(?:ned|s)?\s+to|consider(?:ed|ing)?|decid(?:ed|es)\s+(?:not\s+)?to"
    r"|discuss(?:ed|ing)?|before|prepar(?:ed|ing)|ready to|instead of)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:resolved|recovered|mitigated|back to normal|all clear|restored|returned to normal"
    r"|incident (?:was )?closed|healthy again)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|never|n't|without|partially|un)\b[^.;]{0,25}$", re.IGNORECASE)
_IN_VAIN = re.compile(
    r"\b(?:no effect|did not help|didn't help|no improvement|still (?:failing|slow|high|elevated"
    r"|erroring)|without effect|did not work|didn't work|made (?:it|things) worse|in vain"
    r"|problem (?:came|comes) back|came back|returned after)\b",
    re.IGNORECASE,
)
_DAY_S = 86_400
_SAID, _READ = 0.95, 0.8
"""How sure an attempt is: the resolution names what was done; only the order of lines says so."""


class TimelineEntry(NamedTuple):
    """A line of a timeline; `at` is None when the day is unknown."""

    at: str | None
    text: str


class _Attempt(NamedTuple):
    actions: tuple[str, ...]
    at: str | None


def entries(timeline: str, day: str) -> list[TimelineEntry]:
    """The lines of a timeline in their order; a clock that goes back begins the next day."""
    found: list[TimelineEntry] = []
    base = to_epoch(f"{day}T00:00:00+00:00") if day else None
    last = -1.0
    for line in timeline.splitlines():
        match = _ENTRY.match(line)
        if match is None:
            if found and line.strip() and line[:1] in " \t":
                found[-1] = found[-1]._replace(text=f"{found[-1].text} {line.strip()}")
            continue
        hour, minute = int(match["hour"]), int(match["minute"])
        if hour > 23 or minute > 59:
            continue
        if match["day"]:
            try:
                base, last = to_epoch(f"{match['day']}T00:00:00+00:00"), -1.0
            except ValueError:
                continue
        text = match["text"].strip(" |")
        if base is None:
            found.append(TimelineEntry(None, text))
            continue
        seconds = base + hour * 3600 + minute * 60
        if seconds < last:
            base += _DAY_S
            seconds += _DAY_S
        last = seconds
        found.append(TimelineEntry(from_epoch(seconds), text))
    return found


def attempts(
    timeline: list[TimelineEntry],
    *,
    resolution: str,
    lessons: str,
    started: str | None,
    ended: str | None,
) -> list[OutcomeReport]:
    """Each attempt, the earliest first. Calling people alone is none."""
    tried: list[_Attempt] = []
    vain: set[int] = set()
    over: str | None = ended
    closed = ended is not None
    for entry in timeline:
        actions = actions_in(entry.text)
        if actions:
            tried.append(_Attempt(actions, entry.at))
        if tried and _IN_VAIN.search(entry.text):
            vain.add(len(tried) - 1)
        elif _says(_ENDED, entry.text):
            closed, over = True, entry.at or over
            if tried:
                vain.discard(len(tried) - 1)
    stated = actions_in(resolution)
    if stated and not any(set(stated) & set(a.actions) for a in tried):
        tried.append(_Attempt(stated, over))
        closed = True
    if stated:
        closed = True
    return [
        _outcome(
            each,
            at == len(tried) - 1 and closed and at not in vain,
            over,
            started,
            lessons,
            _SAID if set(each.actions) & set(stated) else _READ,
        )
        for at, each in enumerate(tried)
    ]


def _outcome(
    each: _Attempt,
    worked: bool,
    over: str | None,
    started: str | None,
    lessons: str,
    confidence: float,
) -> OutcomeReport:
    moment = (over if worked else each.at) or each.at
    minutes = (to_epoch(moment) - to_epoch(started)) / 60 if worked and moment and started else -1
    return OutcomeReport(
        actions_taken=each.actions,
        success=worked,
        resolution_time_minutes=round(minutes, 1) if minutes >= 0 else None,
        lessons_learned=prose_of(lessons, limit=500) if worked else "",
        recorded_at=moment,
        confidence=confidence,
    )


def actions_in(text: str) -> tuple[str, ...]:
    """The actions that a text says were taken; calling people counts beside another only."""
    found = [str(action) for action, pattern in _ACTIONS.items() if _says(pattern, text)]
    healing = [action for action in found if action != HealingAction.ALERT_TEAM]
    return tuple(found) if healing else ()


def _says(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text says so, and neither denies nor only intends it."""
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 60) : match.start()]
        if not _NOT.search(before) and not _INTENDED.search(before):
            return True
    return False
