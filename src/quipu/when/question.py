"""The time in a question: a date, a side of a date, or a place beside another fact.

    RELATIVE := the last (before | after | following | …) whose object is not purely a date
    PREVIOUS := before [that | now] at the end | previous(ly) | formerly | use[d] to

A year inside that object belongs to a name ("F.C. Turris 1944") unless a preposition leads to it. A
day without its year ("on 3 May") means the last such day.
"""

from dataclasses import dataclass
from typing import Literal

from quipu.patterns import late
from quipu.text import fold, lower
from quipu.when.dates import MONTH
from quipu.when.intervals import Interval
from quipu.when.partial import find_partial
from quipu.when.spans import TimeSpan, find_spans

__all__ = ["QuestionTime", "find_days", "read_question_time", "without"]

_RELATION = late(
    r"\b(?:(?P<before>(?:right |just |immediately )?before|prior to|previous to|preceding)"
    r"|(?:right |immediately )?after|following|succeeding|subsequent to)\b"
)
_PREVIOUS = late(
    r"\bbefore(?: (?:that|this|now|then))?(?=[\s?.!]*$)|\b(?:previous(?:ly)?|formerly|used? to)\b"
)
_LEADS = late(r"\b(?:in|on|during|from|since|until|by|at|between|of)\s+(?:the )?$")
_ASKED = late(r"(?:which|what|who|whom|whose)\b[^,]{0,200}")
_EDGE = " \t\n?.!,;:\"'"

_WAS = late(r"\b(?:did|was|were|had|used)\b")
_ASKING = r"\b(?:who|whom|whose|which|what|when|where|why|how)"
_ASKS = late(rf"{_ASKING}\b")
_NOT_OVER = late(
    r"\b(?:will|would|shall|should|can|could|must|is|are|am|do|does|every|each|due)\b"
    rf"|\b(?:who|what|which \w+) \w+s\b|{_ASKING} (?:to|may)\b|\bthe {MONTH} [a-z]"
)
"""What asks of what is, is to come, or happens every such month, or names something by its month:
"who owns", "will", "the March release"."""


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """What a question says about time.

    `kind`: "at" (the answer holds in `interval`), "before" or "after" (it comes next to the fact
    that `anchor` describes), "previous" (it held before what holds now), "none". `base` is the
    question without its time, `anchor` the words that name the other fact.
    """

    kind: Literal["none", "at", "before", "after", "previous"]
    base: str
    interval: Interval | None = None
    anchor: str = ""
    spans: tuple[TimeSpan, ...] = ()


def read_question_time(text: str, *, now: str | None = None) -> QuestionTime:
    """The time in `text`; `now` is the instant that "last spring" is seen from. Never raises."""
    spans = [span for span in find_spans(text, now=now) if span.dated]
    if not spans and now is not None:
        spans = find_days(text, now=now)
    lowered = lower(fold(text))
    if found := _relative(text, lowered, spans):
        return found
    if not spans and (found := _previous(text, lowered)):
        return found
    if not spans:
        return QuestionTime("none", text)
    return QuestionTime(
        "at", without(text, spans), max(spans, key=_telling).interval, spans=tuple(spans)
    )


def without(text: str, spans: list[TimeSpan]) -> str:
    """`text` with its times taken out."""
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces.append(text[position : span.start])
        position = span.end
    return " ".join(" ".join([*pieces, text[position:]]).split())


def _telling(span: TimeSpan) -> tuple[int, int]:
    """A stretch with two ends tells more than one with one; of equal ones the last counts."""
    closed = (span.interval.start is not None) + (span.interval.end is not None)
    return closed + (span.kind == "range"), span.start


def _relative(text: str, lowered: str, spans: list[TimeSpan]) -> QuestionTime | None:
    if any(span.kind == "range" for span in spans):
        return None  # both ends are named: nothing is told by what came before or after
    for match in reversed(list(_RELATION.finditer(lowered))):
        tail = text[match.end() :].strip(_EDGE)
        inside = [s for s in spans if s.end > match.start()]
        dated = [s for s in inside if s.start <= match.start() or _led(lowered, s)]
        purely = any(s.start <= match.start() for s in inside)
        named = _rest(text, match.end(), dated)
        asked = _ASKED.fullmatch(lower(fold(tail)))
        if purely or asked or not any(character.isalnum() for character in named):
            continue
        kind = "before" if match["before"] else "after"
        anchor = named.strip(_EDGE)
        head = [s for s in spans if s.end <= match.start()]
        base = without(text[: match.start()], head).strip(_EDGE)
        if not base:  # "Before Ann, who led the team?"
            anchor, _, base = (part.strip(_EDGE) for part in anchor.partition(","))
        times = [*head, *dated]
        interval = max(times, key=_telling).interval if times else None
        return QuestionTime(kind, base or anchor, interval, anchor, tuple(times))
    return None


def _led(lowered: str, span: TimeSpan) -> bool:
    """Whether a preposition makes this a time and not a part of a name."""
    return span.kind != "date" or bool(
        _LEADS.search(lowered, max(0, span.start - 12), span.start)
        or _LEADS.match(lowered[span.start : span.start + 12])
        or not lowered[span.start : span.end].isdigit()
    )


def _rest(text: str, start: int, spans: list[TimeSpan]) -> str:
    pieces: list[str] = []
    for span in spans:
        if span.start > start:
            pieces.append(text[start : span.start])
        start = max(start, span.end)
    return " ".join(" ".join([*pieces, text[start:]]).split())


def _previous(text: str, lowered: str) -> QuestionTime | None:
    match = _PREVIOUS.search(lowered)
    if match is None:
        return None
    base = f"{text[: match.start()].strip()} {text[match.end() :].strip(_EDGE)}".strip()
    return QuestionTime("previous", base) if base else None


def find_days(text: str, *, now: str) -> list[TimeSpan]:
    """Every day of which a part is left out in a question asked at the instant `now`, and every
    month that a preposition leads to, where it asks of what was, or of nothing that is or is to
    come; what is in no calendar is none."""
    spans = [span for span in find_partial(text, now=now) if span.kind != "range"]
    lowered = lower(fold(text))
    if _WAS.search(lowered) or (_ASKS.search(lowered) and not _NOT_OVER.search(lowered)):
        return spans
    return [
        span for span in spans if any(d and d.day for d in (span.interval.start, span.interval.end))
    ]
