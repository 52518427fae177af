"""What a question names and its evidence does not bear.

A note on INC-1042 says nothing of INC-2100, however near their words are. A *designation* tells one
thing from others of its kind by a number: `INC-2100`, `db-9`, "room 13", "version 2.5.0". A passage
that bears another one of that kind and not the one asked about is another's, and is not quoted. An
answer whose evidence does not bear what is named, in its text, heading, path or by a known alias,
is never sure, nor is one without a number to how many there are, or without a time to when it was.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.contract import MARK, PLACE
from quipu.answer.contradiction import in_numerals
from quipu.answer.gate import AnswerDraft, Evidence, is_turn
from quipu.answer.limitations import POSSESSIVE, is_time, says
from quipu.ports import Graph
from quipu.question import Question, versions_in
from quipu.text import STOP_WORDS, fold, lower, name_key, stem, stems
from quipu.when import find_spans
from quipu.when.intervals import Interval, overlap, read_iso

__all__ = ["of_what_is_named", "unborne"]

_CODE = re.compile(r"(?<![\w./-])[a-z][\w#-]*?(?:[._#/-]?\d[\w-]*)+(?:\.\d+)*(?![\w-])")
_NUMBERED = re.compile(
    r"(?<![\w-])(?P<what>[a-z][a-z-]+)(?: (?:no\.?|number|nr\.?))? ?#?"
    r"(?P<which>\d+(?:\.\d+)*)(?![\w%.]*\w)"
)
_PARTS = re.compile(r"[a-z]+|\d+")
_QUALIFIED = re.compile(
    r"\b(?:the|our|my|your|his|her|its|their|this|that) "
    r"(?=(?P<which>[a-z][\w-]+) (?P<what>[a-z][\w-]+))"
)
_OF_NOW = frozenset("current new latest present own".split())
"""What before a noun tells it from none that there is beside it."""
_COUNTING = frozenset("top first last next past about over under only around exactly".split())
_NUMBER = re.compile(
    r"(?<![\w#.])\d|\b(?:one|single|none|zero|dozens?|hundreds?|thousands?|millions?)\b",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"\b(?:in|since|from|with|before|after|until|version|release) v?\d+(?:\.\d+)+", re.IGNORECASE
)
_MORE = re.compile(r"\band \d+ more\b")
_TWO_DIGITS = re.compile(r"(?<![\w.])\d[\d.,]*\d(?![\w%])")


class _Designation(NamedTuple):
    """A name that a number tells from others: how it is written, and of which kind it is."""

    written: str
    kind: str

    def stands_in(self, text: str) -> bool:
        """Whether a folded text bears it, with or without what parts its letters and digits."""
        if versions := versions_in(self.written):
            return bool(set(versions) & set(versions_in(text)))
        parts = r"[\W_]{0,2}".join(map(re.escape, _PARTS.findall(self.written)))
        return re.search(rf"(?<![a-z0-9]){parts}(?![a-z0-9])", text) is not None


def of_what_is_named(
    question: Question, evidence: Sequence[Evidence], *, now: str
) -> tuple[Evidence, ...]:
    """The evidence without what bears another designation of a kind that the question names, and
    none that it names: of files only what is prose and is so by a code ("INC-2100"); and without
    turns of another time than one that is told from `now` ("yesterday"), if there are turns of it.
    """
    asked = _asked_for(question)
    kept = tuple(each for each in evidence if not _is_of_another(each, asked))
    told = {(span.start, span.end) for span in question.spans}
    spans = [s.interval for s in question.spans_from(now) if (s.start, s.end) not in told]
    then = {each.id for each in kept if is_turn(each) and _speaks_of(each, spans)}
    return tuple(each for each in kept if each.id in then or not is_turn(each)) if then else kept


def unborne(
    asked: Question, question: Question, draft: AnswerDraft, graph: Graph, *, now: str
) -> tuple[str, ...]:
    """What the question names that neither the answer nor its evidence bears: designations; of what
    was said also numbers, names, things told from others of their kind, and times, unless the graph
    states the answer, whose own time was compared; else a number or a time that is asked for."""
    evidence = draft.evidence
    whole = "\n".join((draft.answer, *map(_around, evidence)))
    text = _plain(whole)
    missing = [each.written for each in _asked_for(question) if not each.stands_in(text)]
    if not all(map(is_turn, evidence)):
        return (*missing, *_needed(question, draft.answer, now))
    denied = draft.answer.startswith("No:")
    numbers = () if denied else _TWO_DIGITS.findall(question.undated.text)
    missing += [number for number in numbers if number not in text]
    of_another_value = denied and draft.stated > 0  # "No: Dana lives in Milan"
    names = (POSSESSIVE.sub("", n) for n in asked.names if not of_another_value)
    missing += [n for n in names if not is_time(n) and not _is_named(n, whole, graph)]
    missing += _otherwise_qualified(question.text, text)
    if not draft.stated:
        missing += _untold_times(question, evidence, now)
    found = dict.fromkeys(missing)
    return tuple(n for n in found if not any(n != o and _plain(n) in _plain(o) for o in found))


def _needed(question: Question, answer: str, now: str) -> list[str]:
    """What must stand in an answer to the question and does not, in words."""
    told = MARK.sub("", PLACE.sub("", answer))
    if question.needed == "moment":
        return [] if find_spans(told, now=now) or _RELEASE.search(told) else ["a time"]
    if question.needed == "number":
        counted = _MORE.sub("", in_numerals(_timeless(told)))
        return [] if _NUMBER.search(counted) else ["a number"]
    return []


def _otherwise_qualified(question: str, text: str) -> list[str]:
    """The things that a question tells from others by a word before them ("the orders database"),
    where a folded text has another such word before them ("the ledger database") and not that."""
    beside: dict[str, set[str]] = {}
    for match in _QUALIFIED.finditer(text):
        beside.setdefault(stem(match["what"]), set()).add(stem(match["which"]))
    said = set(stems(text))
    asked = (match for match in _QUALIFIED.finditer(_plain(question)))
    return [
        f"{match['which']} {match['what']}"
        for match in asked
        if match["which"] not in STOP_WORDS | _OF_NOW
        and stem(match["which"]) not in said
        and beside.get(stem(match["what"]), set()) - {stem(match["which"])}
    ]


def _untold_times(question: Question, evidence: Sequence[Evidence], now: str) -> list[str]:
    """The time that a question names, where no turn was said in it, and none speaks of it."""
    spans = [span for span in question.spans_from(now) if span.dated]
    if any(_speaks_of(each, [span.interval for span in spans]) for each in evidence):
        return []
    return [question.text[span.start : span.end] for span in spans]


def _speaks_of(each: Evidence, asked: Sequence[Interval]) -> bool:
    return any(overlap(one, time) for one in asked for time in _times(each))


def _times(each: Evidence) -> Iterator[Interval]:
    """The day on which a turn was said, and the times of which it speaks."""
    if day := read_iso(each.updated_at):
        yield Interval(day, day)
    spans = find_spans(each.text, now=each.updated_at or None)
    yield from (span.interval for span in spans if span.dated)


def _asked_for(question: Question) -> list[_Designation]:
    """The designations in a question; a number that may be asked about ("is the limit 25?") is
    none."""
    text = _plain(question.undated.text)
    return list(_designations(text, numbered=not question.takes_yes_or_no))


def _designations(text: str, *, numbered: bool = True) -> Iterator[_Designation]:
    """The designations in a folded text without dates: codes and, with `numbered`, "room 13"."""
    for match in _CODE.finditer(text):
        yield _Designation(match[0], "0".join(re.findall(r"[a-z]+", match[0])))
    for match in _NUMBERED.finditer(text) if numbered else ():
        what = match["what"]
        if what not in STOP_WORDS and what not in _COUNTING:
            yield _Designation(f"{what} {match['which']}", stem(what))


def _is_of_another(each: Evidence, asked: Sequence[_Designation]) -> bool:
    if each.is_code or not asked:
        return False
    text = _plain(_around(each))
    borne = {one.kind for one in asked if one.stands_in(text)}
    kinds = {one.kind for one in asked if is_turn(each) or " " not in one.written} - borne
    return bool(kinds & {one.kind for one in _designations(_timeless(text))})


def _is_named(name: str, text: str, graph: Graph) -> bool:
    """Whether a text bears a name, or another one of what the graph knows by it."""
    if says(text, name) or all(says(text, part) for part in name.split()):
        return True
    known = graph.named([name_key(name)]).get(name_key(name), ())
    return any(says(text, other) for entity in known for other in (entity.name, *entity.aliases))


def _timeless(text: str) -> str:
    """A text with its dates blanked."""
    for span in sorted(find_spans(text), key=lambda s: -s.start):
        if span.dated:
            text = f"{text[: span.start]} {text[span.end :]}"
    return text


def _around(each: Evidence) -> str:
    return f"{each.title}\n{each.path}\n{each.text}"


def _plain(text: str) -> str:
    return lower(fold(text))
