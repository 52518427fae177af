"""Statements read from running text: plain declarative sentences, decisions, lines of the form
`Owner: payments`, and tables; and of what is said in a conversation, its standing instructions.

Precision before recall: a sentence that is not read without doubt gives nothing.
"""

import re
from collections.abc import Iterator

from quipu.extract.statements.plain import Saying, plain_statements
from quipu.extract.statements.statement import (
    CONFIDENCE,
    WORDS,
    Statement,
    clean,
    is_object,
    lowered,
    singular,
)
from quipu.extract.statements.tables import table_statements
from quipu.facts.attributes import FUNCTIONAL, SHIPPED, Attributes
from quipu.facts.keys import predicate_key
from quipu.text import sentences
from quipu.when import fact_dates, find_spans, without
from quipu.when.instants import UNKNOWN_TIME
from quipu.when.intervals import iso, read_iso

__all__ = [
    "Statement",
    "read_instructions",
    "read_statements",
    "sentence_spans",
    "singular",
]

_KEY_VALUE = re.compile(
    r"^[ \t]*(?:[-*] )?(?:\*\*|__)?(?P<key>[A-Za-z][\w /-]{1,30}?)(?:\*\*|__)?:(?:\*\*|__)?"
    r"[ \t]+(?P<value>\S[^\n]{0,120})$",
    re.MULTILINE,
)
_LINE = re.compile(r"[^\n]+")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
_LONGEST = 600
_KEY_CONFIDENCE = 0.8
_LOWER_END = re.compile(r"(?<=[\w)\]\"'%][.!?])\s+(?=[^\W\d_A-Z])")
_SHORTENED = re.compile(
    r"(?i)(?:\b(?:\w|approx|ca|resp|incl|excl|max|min|tel|ext|dept|art|vol|eds?|esp|vs|etc|cf|"
    r"mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|co|corp|fig|al|sept?|jan|feb|mar|apr|jun|jul|aug|oct|nov|"
    r"dec|mon|tues?|wed|thu|thurs|fri|sat|sun)|\.\w)\.$"
)
_LONGEST_SHORT = 8
"""Characters of an abbreviation with the word before it."""
_NOT_KEYS = frozenset({"title", "name", "default", "value"})


def read_statements(
    text: str,
    *,
    about: str = "",
    speaker: str = "",
    observed_at: str = UNKNOWN_TIME,
    personal: bool = True,
    attributes: Attributes = SHIPPED,
) -> list[Statement]:
    """Return the statements in `text`, by where they stand, then those of its tables.

    `about` is what the text as a whole is about (a document's title): lines `Owner: X` are said
    of it. `speaker` is the first person; in a text that is not `personal` (a page, a manual) nobody
    is, and only what the text itself dates counts. Relative times are seen from `observed_at`,
    and what is said in the present holds from its day. `attributes` tells which wordings say the
    same.
    """
    known = observed_at != UNKNOWN_TIME and personal
    day = _day(observed_at) if known else None
    saying = Saying(speaker, day, observed_at if known else None, personal)
    found: list[Statement] = []
    for start, end in _pieces(text):
        piece = text[start:end]
        keyed = _KEY_VALUE.match(piece) if about and ":" in piece else None
        if keyed and (statement := _keyed(keyed, start, about)):
            found.append(statement)
        elif (told := decision(piece, start, day)) or (
            personal and (told := instruction(piece, start, speaker, day))
        ):
            found.append(told)
        else:
            found += plain_statements(piece, start, saying, attributes)
    return [*found, *table_statements(text)]


def read_instructions(text: str, *, speaker: str, observed_at: str) -> list[Statement]:
    """Return what `speaker` asks for from now on: all that a turn of a conversation states."""
    day = _day(observed_at) if observed_at != UNKNOWN_TIME else None
    found = (instruction(text[s:e], s, speaker, day) for s, e in _pieces(text))
    return [told for told in found if told]


def _pieces(text: str) -> list[tuple[int, int]]:
    """The sentences that are read: none that is too long, or stands in a block of code or among
    properties."""
    fenced = [match.span() for match in _FENCE.finditer(text)]
    if head := _FRONT_MATTER.match(text):  # read as properties, not as text
        fenced.append(head.span())
    outside = _Outside(fenced)
    return [(s, e) for s, e in sentence_spans(text) if e - s <= _LONGEST and outside(s, e)]


class _Outside:
    """Whether a stretch meets none of `spans`; asked in the order of the text."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._next = 0

    def __call__(self, start: int, end: int) -> bool:
        while self._next < len(self._spans) and self._spans[self._next][1] <= start:
            self._next += 1
        return self._next == len(self._spans) or self._spans[self._next][0] >= end


def _day(instant: str) -> str | None:
    date = read_iso(instant)
    return iso(date) if date else None


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, none of which goes over a list item or a line of its own; what is written without
    capitals ends at its dots as well."""
    for start, end in _lines(text):
        begin = start
        for match in _LOWER_END.finditer(text, start, end):
            if not _SHORTENED.search(
                text, max(begin, match.start() - _LONGEST_SHORT), match.start()
            ):
                yield begin, match.start()
                begin = match.end()
        yield begin, end


def _lines(text: str) -> Iterator[tuple[int, int]]:
    for start, end in sentences(text):
        if "\n" not in text[start:end]:
            yield start, end
            continue
        listed = re.search(r"\n\s*(?:[-*+|>#]|\d+[.)])\s|\n[^\n:]{1,40}: ", text[start:end])
        lined = listed or _KEY_VALUE.match(text, start)
        if not lined:
            yield start, end
            continue
        for line in _LINE.finditer(text, start, end):
            yield line.start(), line.end()


def _keyed(match: re.Match[str], offset: int, about: str) -> Statement | None:
    key, value = predicate_key(match["key"]), clean(match["value"])
    if (
        key not in FUNCTIONAL - _NOT_KEYS
        or not is_object(value)
        or value.startswith(("http", "<", "{"))
    ):
        return None
    times = [span for span in find_spans(value) if span.dated]
    begin = fact_dates(times[0])[0] if len(times) == 1 and times[0].kind == "since" else None
    if begin:
        value = clean(without(value, times))
    return Statement(
        singular(about),
        key,
        value,
        begin,
        None,
        offset + match.start(),
        offset + match.end(),
        "key",
        _KEY_CONFIDENCE,
    )


_SAID_OF = r"(?:the|an?|my|our|his|her|its|their|it|he|she|they|we|i)"
_WISHED = r"(?:should|must|have to|has to|need to|needs to|want|would like|please)"
_INSTRUCTION = re.compile(
    r"^(?:please |from now on,? |remember to |remember:? |make sure (?:to |you )?){0,2}"
    r"(?P<always>(?:always|never|do not ever|don't ever) \w[^;]{3,})"
    # From now on something is so, unless it is wished for.
    rf"|^from now on,? (?P<now>(?!{_SAID_OF}\b(?!.*\b{_WISHED}\b))\w[^;]{{5,}})"
    r"|^(?:(?:oh|ok|okay|and|also|so|btw|hey|well)\b,? )*please (?P<how>(?:call me"
    r"|(?:answer|reply|respond|talk|speak)(?: to)?(?: me| us)? (?:in|with|without|more|less|like"
    r"|only))\b[^;]{2,})"
    r"|\b(?P<rather>i(?:'d| would) (?:rather|like|prefer)\b[^;]{3,80}\bfrom now on)\b"
)
_DECISION = re.compile(
    r"\b(?P<who>i|we)(?:'ve| have)? (?:just |recently |now |officially |all |finally )?"
    r"(?:decided|agreed|resolved)(?: to| that| on)? (?P<new>[^;]{3,160})"
    r"|^(?:decision|decided): (?P<noted>[^;]{3,160})"
)
_DOUBT = re.compile(
    r"\b(?:if|whether|maybe|perhaps|might|could|would|should we|considering|wish|hope|unless)\b"
)
_UNTIL = re.compile(
    r",? (?:because|since|so that|so|but|although|though|when|while|which|and i|and we)\b|[;!?]|\. "
)
_SAYINGS = (["never", "again"], ["never", "mind"], ["never", "forget"])


def instruction(sentence: str, offset: int, speaker: str, day: str | None) -> Statement | None:
    """Return what a sentence asks for from now on; None where it asks for nothing, or asks once."""
    match = _INSTRUCTION.search(lowered(sentence))
    said = _what(match, sentence) if match else ""
    if not said or lowered(said).split() in _SAYINGS:
        return None
    return _statement(speaker or "user", "instructs", said, sentence, offset, day)


def decision(sentence: str, offset: int, day: str | None) -> Statement | None:
    """Return what a sentence says was decided, or None."""
    low = lowered(sentence)
    match = None if _DOUBT.search(low) else _DECISION.search(low)
    said = _what(match, sentence) if match else ""
    if not said or lowered(said).split()[0] in WORDS.pointing:
        return None
    return _statement("we", "decided", said, sentence, offset, day)


def _what(match: re.Match[str], sentence: str) -> str:
    """What the one group that matched says, up to a reason; empty for a question."""
    name = match.lastgroup or ""
    said = clean(_UNTIL.split(sentence[match.start(name) : match.end(name)])[0])
    return "" if sentence.rstrip().endswith("?") or not is_object(said) else said


def _statement(
    subject: str, predicate: str, said: str, sentence: str, offset: int, day: str | None
) -> Statement:
    end = offset + len(sentence)
    return Statement(subject, predicate, said, day, None, offset, end, predicate, CONFIDENCE)
