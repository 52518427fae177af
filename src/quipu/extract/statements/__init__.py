"""Statements read by rule from running text: dated ones, what people say of themselves, what
they decide, ask for and change, and lines of the form `Owner: payments`.

Precision before recall: a sentence that no rule reads without doubt gives nothing.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.extract.grammar import ReadSentence, parse_apart, read_sentences
from quipu.extract.grammar.clauses import taken_back
from quipu.extract.statements.asked import Replied, asked_in, read_reply
from quipu.extract.statements.by_grammar import GrammarReader, last_single
from quipu.extract.statements.cues import CueGate
from quipu.extract.statements.dated import dated_statements
from quipu.extract.statements.phrases import Phrases, Utterance
from quipu.extract.statements.said import Saying, said_statements
from quipu.extract.statements.spoken import REACH, Before, Recalled, Said, Spoken
from quipu.extract.statements.statement import (
    BY_RULE,
    CHANGE,
    Statement,
    StatementReading,
    clean,
    is_object,
    singular,
)
from quipu.extract.statements.tables import table_statements
from quipu.extract.statements.valued import Valued
from quipu.extract.values import TurnWords, words_of
from quipu.extract.values.inputs import BEFORE
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
    "REACH",
    "Said",
    "Spoken",
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
_REPORTING = re.compile(
    r"\bI\b(?! (?:can|could|would|will|might|may|should|suggest|recommend)\b)|\b(?i:now|again)\b"
    r"|\bfrom\b.{1,40}\bto\b|->|→"
)
_ACTED = re.compile(
    r"\bI(?:['’]ve| have)?(?: just| also)? (?:\w+ed|ran|read|wrote|set|put|made|found|built|cut)\b"
    r"|^\W*(?:Done|Measured|Fixed)\b"
)
_LONGEST_SHORT = 8
_LONGEST_REPLY, _LONGEST_RECALLED = 100, 400
_ANEW = 0.7
_LONGEST_REFERRING = 24
"""Words of a turn that may rest on those before; a longer one names what it speaks of."""
_REFERRING = re.compile(r"(?i)\b(?:s?he|him|his|hers?|it|its|they|them|their)\b")
_SUPPLEMENTARY = frozenset({"instruction"})
_UNPARSED = frozenset({"instruction", "decision", "key", "dated"})
_NOT_KEYS = frozenset({"title", "name", "default", "value"})


class _Ruled(NamedTuple):
    """What the rules read of a text, what of that was `replied` to a question, and what of the text
    was parsed: the sentences at `spans`; `here` knows whom and what they speak of. At the places
    `denied` the text takes back what it says."""

    statements: list[Statement]
    sentences: list[ReadSentence]
    spans: list[tuple[int, int]]
    here: Phrases
    replied: Sequence[Statement]
    denied: Sequence[tuple[int, int]]


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
    spoken: Spoken | None = None,
    reports: bool = False,
) -> list[Statement]:
    """The statements in `text`, by where they stand.

    `about` is what the text as a whole is about (a document's title): lines `Owner: X` are said
    of it. `speaker` is the first person; in a text that is not `personal` (a page, a manual) nobody
    is, and only what the text itself dates counts. Relative times are seen from `observed_at`,
    and what is said in the present holds from its day. `rules` are tried in their order. With
    `layers`, which reads a text with the local encoder, what is personal is read by its grammar
    first; then the rules read the sentences in which that finds nothing. `spoken` knows who and
    what was spoken of before, and is told who and what is now. `attributes` tells which wordings
    say the same. What `reports` is a machine's own word: of it counts what it changed ("I raised
    the limit to 5") and, beside that, what it measured; no more. In a conversation, what is
    `spoken`, the values that no rule reads are found by a head on the same layers.
    """
    ruled = _read_by_rule(
        text,
        about=about,
        speaker=speaker,
        observed_at=observed_at,
        personal=personal,
        rules=rules,
        layers=layers,
        attributes=attributes,
        spoken=spoken,
        reports=reports,
    )
    if spoken is None:
        return [*ruled.statements, *table_statements(text)]
    found, said = ruled.statements, Said(speaker, text, observed_at, machine=reports)
    if layers and ruled.sentences:
        words = words_of(ruled.sentences, speaker, machine=reports)
        before = _words_before(spoken, layers) if len(words.vectors) <= _LONGEST_REFERRING else []
        read = Valued(ruled.here, words, before).read(found, ruled.replied)
        acted = reports and _ACTED.search(text) is not None
        done = [s for s in read if not reports or _is_done(s, speaker, acted=acted)]
        found = _upheld(done, ruled.denied)
        if ruled.spans == _last_pieces(text):
            spoken.words[said] = words
    spoken.hear(said)
    return found


def _read_by_rule(
    text: str,
    *,
    about: str = "",
    speaker: str,
    observed_at: str,
    personal: bool = True,
    rules: Sequence[FactRule] = RULES,
    layers: ReadLayers | None,
    attributes: Attributes,
    spoken: Spoken | None,
    reports: bool,
) -> _Ruled:
    """What grammar and phrases read of a text."""
    known = observed_at != UNKNOWN_TIME
    said_on = _day(observed_at) if known else None
    now = observed_at if known else None
    may_state = CueGate(text, keyed=bool(about), personal=personal, relative=known, rules=rules)
    counting = {"dated", "key", *(rule.name for rule in rules if personal or rule.of_pages)}
    before = (
        _before(spoken, speaker, layers, attributes) if spoken and personal and layers else None
    )
    utterance = Utterance(speaker=speaker, said_on=said_on, now=now, before=before)
    acted = reports and _ACTED.search(text) is not None
    pieces = _pieces(text, reported=reports and not acted)
    asked = _asked(before, pieces[0]) if before and pieces and not reports else None
    stating = _stating(text, pieces, replying=asked is not None) if personal and layers else []
    says = before and any(not _only_asks(text, *piece) for piece in pieces)
    spans = pieces if says else stating
    whole = read_sentences(text, layers, spans) if spans and layers else []
    begins = {start for start, _ in stating}
    parsed = {e.whole.start: e.clauses for e in whole if e.whole.start in begins}
    replied = Replied((), whole=False)
    if asked and layers and pieces[0][0] in parsed:
        replied = read_reply(parsed[pieces[0][0]], text, asked, utterance, attributes, layers)
        pieces = pieces[1:] if replied.whole else pieces
    found = [*replied.statements]
    reader = GrammarReader(text, utterance, attributes)
    for start, end in pieces:
        if start in parsed and _only_asks(text, start, end):
            reader.hear(parsed[start])
            continue
        read_off = reader.read_parts(parsed[start]) if start in parsed else []
        if read_off and found and read_off[0].rule == CHANGE and reader.corrects(found[-1]):
            found.pop()  # "4471. I mean 4417!": the first was never meant
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
    if reports:
        found = [each for each in found if _is_done(each, speaker, acted=acted)]
    denied = taken_back([each.whole for each in whole])
    upheld = _upheld(found, denied)
    return _Ruled(upheld, whole, spans, reader.here, replied.statements, denied)


def _upheld(found: Sequence[Statement], denied: Sequence[tuple[int, int]]) -> list[Statement]:
    """The statements without those that the text itself takes back."""
    return [s for s in found if not any(start <= s.start < end for start, end in denied)]


def _pieces(text: str, *, reported: bool) -> list[tuple[int, int]]:
    """The sentences that are read: none that is too long, or stands in a block of code or among
    properties; of a machine's where it may be `reported` what was done."""
    fenced = [match.span() for match in _FENCE.finditer(text)]
    if head := _FRONT_MATTER.match(text):  # read as properties, not as text
        fenced.append(head.span())
    outside = _Outside(fenced)
    spans = [(s, e) for s, e in sentence_spans(text) if e - s <= _LONGEST and outside(s, e)]
    return [(s, e) for s, e in spans if not reported or _REPORTING.search(text, s, e)]


def _words_before(spoken: Spoken, layers: ReadLayers) -> list[tuple[TurnWords, Phrases]]:
    """The turns before with the last of their words, the latest first."""
    found: list[tuple[TurnWords, Phrases]] = []
    for said in spoken.turns()[:REACH]:
        if said not in spoken.words:
            read = read_sentences(said.text, layers, _last_pieces(said.text))
            spoken.words[said] = words_of(read, said.speaker, machine=said.machine)
        words = spoken.words[said]
        found.append((words, Phrases(said.text, Utterance(speaker=said.speaker))))
        if sum(len(each.vectors) for each, _ in found) >= BEFORE:
            break
    return found


def _last_pieces(text: str) -> list[tuple[int, int]]:
    """The last sentences of a text, as many as may be seen from the next."""
    found: list[tuple[int, int]] = []
    missing = BEFORE
    for start, end in reversed(list(sentence_spans(text))):
        if missing <= 0:
            break
        if end - start <= _LONGEST:
            found.insert(0, (start, end))
        missing -= text.count(" ", start, end) + 1
    return found


def _is_done(statement: Statement, speaker: str, *, acted: bool) -> bool:
    """Whether it tells what has changed of things: what a machine says it did; or, where it tells
    what it did, what it measured."""
    changed = statement.rule == CHANGE or statement.anew or statement.fresh > _ANEW
    measured = acted and statement.thing and any(c.isdigit() for c in statement.object)
    told = changed or measured
    return told and statement.subject not in (speaker, "we") and not statement.said_by


def _before(spoken: Spoken, speaker: str, layers: ReadLayers, attributes: Attributes) -> Before:
    """What was spoken of before a turn, read when something refers back to it."""

    def state(said: Said) -> Statement | None:
        ruled = _read_by_rule(
            said.text,
            speaker=said.speaker,
            observed_at=said.observed_at,
            layers=layers,
            attributes=attributes,
            spoken=spoken.until(said),
            reports=said.machine,
        )
        return last_single(ruled.statements)

    return Before(spoken, speaker, lambda said: _recalled(said, layers), state)


def _recalled(said: Said, layers: ReadLayers) -> Recalled:
    """What the end of a turn mentions, clause by clause."""
    pieces = [piece for piece in sentence_spans(said.text) if said.text[piece[0]] != "["]
    near = [(s, e) for s, e in pieces if pieces[-1][1] - s <= _LONGEST_RECALLED]
    here = Phrases(said.text, Utterance(speaker=said.speaker))
    for clauses in parse_apart(said.text, layers, near):
        for place, each in enumerate(clauses):
            here.goes_on = place > 0
            here.turn_to(each)
            here.spoken_of()
    return here.mentioned


def _asked(before: Before, piece: tuple[int, int]) -> Said | None:
    """What another speaker asked right before a sentence that may reply to it."""
    start, end = piece
    said = before.last() if end - start <= _LONGEST_REPLY else None
    if said is None or said.speaker == before.speaker:
        return None
    asked = asked_in(said.text, list(sentence_spans(said.text)))
    return said._replace(text=asked) if asked else None


def _only_asks(text: str, start: int, end: int) -> bool:
    """Whether a sentence is a question that states nothing before it asks."""
    return text[end - 1] == "?" and text.find(",", start, end) < 0


def _stating(
    text: str, pieces: Sequence[tuple[int, int]], *, replying: bool
) -> list[tuple[int, int]]:
    """The sentences that may state something; the first in any case where it may be a reply."""
    first = pieces[0] if replying else None
    return [
        (s, e)
        for s, e in pieces
        if (s, e) == first
        or (
            (not _only_asks(text, s, e) or _REFERRING.search(text, e))
            and text[s] != "["
            and (_PHRASE.search(text, s, e) or _is_value(text, s, e))
        )
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
