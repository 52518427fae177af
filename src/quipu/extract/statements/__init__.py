"""Statements read by rule from running text: dated ones, what people say of themselves, what
they decide, ask for and change, and lines of the form `Owner: payments`.

Precision before recall: a sentence that no rule reads without doubt gives nothing.
"""

import re
from collections.abc import Iterator, Sequence

from quipu.extract.grammar import read_sentences
from quipu.extract.grammar.clauses import taken_back
from quipu.extract.statements.by_grammar import GrammarReader
from quipu.extract.statements.cues import CueGate
from quipu.extract.statements.dated import dated_statements
from quipu.extract.statements.phrases import Utterance
from quipu.extract.statements.said import Saying, said_statements
from quipu.extract.statements.statement import (
    BY_RULE,
    Statement,
    StatementReading,
    clean,
    is_object,
    singular,
)
from quipu.extract.statements.tables import table_statements
from quipu.ports import ReadLayers
from quipu.records.attributes import FUNCTIONAL, SHIPPED, Attributes
from quipu.records.fact_keys import predicate_key
from quipu.records.fact_rules import RULES, FactRule
from quipu.text import sentences
from quipu.when import TimeSpan, fact_dates, find_spans, without
from quipu.when.instants import UNKNOWN_TIME
from quipu.when.intervals import iso, read_iso

__all__ = [
    "BY_RULE",
    "Statement",
    "StatementReading",
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
_PHRASE = re.compile(r"[^\W\d_]+\W+[^\W\d_]+")
_CORRECTION = re.compile(r"[^\W\d_]+[,:]? \S*\d")
_VALUE = re.compile(r"\W?\d\S* [^\W\d_]+")
_LOWER_END = re.compile(r"(?<=[\w)\]\"'%][.!?])\s+(?=[^\W\d_A-Z])")
_SHORTENED = re.compile(
    r"(?i)(?:\b(?:\w|approx|ca|resp|incl|excl|max|min|tel|ext|dept|art|vol|eds?|esp|vs|etc|cf|"
    r"mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|co|corp|fig|al|sept?|jan|feb|mar|apr|jun|jul|aug|oct|nov|"
    r"dec|mon|tues?|wed|thu|thurs|fri|sat|sun)|\.\w)\.$"
)
_LONGEST_SHORT = 8
"""Characters of an abbreviation with the word before it."""
_REFERRING = re.compile(r"(?i)\b(?:s?he|him|his|hers?|it|its|they|them|their)\b")
_SUPPLEMENTARY = frozenset({"instruction"})
_UNPARSED = frozenset({"instruction", "decision", "key", "dated"})
_NOT_KEYS = frozenset({"title", "name", "default", "value"})


def read_statements(
    text: str,
    *,
    about: str = "",
    speaker: str = "",
    observed_at: str = UNKNOWN_TIME,
    personal: bool = True,
    rules: Sequence[FactRule] = RULES,
    layers: ReadLayers | None = None,
    attributes: Attributes = SHIPPED,
) -> list[Statement]:
    """Return the statements in `text`, by where they stand, then those of its tables.

    `about` is what the text as a whole is about (a document's title): lines `Owner: X` are said
    of it. `speaker` is the first person; in a text that is not `personal` (a page, a manual) nobody
    is, and only what the text itself dates counts. Relative times are seen from `observed_at`,
    and what is said in the present holds from its day. `rules` are tried in their order. With
    `layers`, which reads a text with the local encoder, what is personal is read by its grammar
    first; then the rules read the sentences in which that finds nothing. `attributes` tells which
    wordings say the same. Nothing is read of the texts before: who "she" is there, nobody knows.
    """
    known = observed_at != UNKNOWN_TIME
    said_on = _day(observed_at) if known else None
    now = observed_at if known else None
    may_state = CueGate(text, keyed=bool(about), personal=personal, relative=known, rules=rules)
    counting = {"dated", "key", *(rule.name for rule in rules if personal or rule.of_pages)}
    pieces = _pieces(text)
    stating = _stating(text, pieces) if personal and layers else []
    whole = read_sentences(text, layers, stating) if stating and layers else []
    parsed = {each.whole.start: each.clauses for each in whole}
    found: list[Statement] = []
    utterance = Utterance(speaker=speaker, said_on=said_on, now=now)
    reader = GrammarReader(text, utterance, attributes)
    for start, end in pieces:
        if start in parsed and _only_asks(text, start, end):
            reader.hear(parsed[start])
            continue
        read_off = reader.read_parts(parsed[start]) if start in parsed else []
        found.extend(read_off)
        if not may_state(start, end):
            continue
        piece = text[start:end]
        read = _read(piece, start, about, speaker, said_on if personal else None, now, rules)
        kept = (
            counting
            if start not in parsed
            else counting & (_SUPPLEMENTARY if read_off else _UNPARSED)
        )
        found.extend(s for s in read if s.rule in kept)
    upheld = _upheld(found, taken_back([each.whole for each in whole]))
    return [*upheld, *table_statements(text)]


def _upheld(found: Sequence[Statement], denied: Sequence[tuple[int, int]]) -> list[Statement]:
    """The statements without those that the text itself takes back."""
    return [s for s in found if not any(start <= s.start < end for start, end in denied)]


def _pieces(text: str) -> list[tuple[int, int]]:
    """The sentences that are read: none that is too long, or stands in a block of code or among
    properties."""
    fenced = [match.span() for match in _FENCE.finditer(text)]
    if head := _FRONT_MATTER.match(text):  # read as properties, not as text
        fenced.append(head.span())
    outside = _Outside(fenced)
    return [(s, e) for s, e in sentence_spans(text) if e - s <= _LONGEST and outside(s, e)]


def _only_asks(text: str, start: int, end: int) -> bool:
    """Whether a sentence is a question that states nothing before it asks."""
    return text[end - 1] == "?" and text.find(",", start, end) < 0


def _stating(text: str, pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences that may state something."""
    return [
        (s, e)
        for s, e in pieces
        if (not _only_asks(text, s, e) or _REFERRING.search(text, e))
        and text[s] != "["
        and (_PHRASE.search(text, s, e) or _is_value(text, s, e))
    ]


def _is_value(text: str, start: int, end: int) -> bool:
    """Whether it is little more than a value: "no, 4", "40 now"."""
    return bool(_CORRECTION.match(text, start, end) or _VALUE.match(text, start, end))


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


def _read(
    piece: str,
    offset: int,
    about: str,
    speaker: str,
    said_on: str | None,
    now: str | None,
    rules: Sequence[FactRule],
) -> Iterator[Statement]:
    keyed = _KEY_VALUE.match(piece) if about and ":" in piece else None
    if keyed and (statement := _keyed(keyed, offset, about)):
        yield statement
        return
    spans = find_spans(piece, now=now)
    dated = list(dated_statements(piece, offset, spans))
    times = [span for span in spans if span.dated]
    flat = without(piece, times) if times else piece
    saying = Saying(flat, offset, offset + len(piece), speaker, _when(times, said_on), said_on)
    said = list(said_statements(saying, rules))
    yield from said or dated


def _when(times: list[TimeSpan], said_on: str | None) -> tuple[str | None, str | None] | None:
    """The one time a saying names; several are not told apart."""
    if not times:
        return None
    if len(times) > 1:
        return (said_on, None) if said_on else None
    span = times[0]
    start, end = fact_dates(span)
    return (start, None) if span.kind == "date" else (start, end)


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
