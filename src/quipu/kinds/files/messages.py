"""A message that is asked about: the code that says it, and what leads there.

The words of each text in the code that was found, or that its words lead to, are sought in the
question (`literals`). What is quoted is the statement that holds the text, whole, with what it is
set in below: the conditions, the comments beside. Where a text is only held by something (a
constant, a variant, an error's type, a function that makes the error) the places that use it are
quoted too, as far as three steps away. An answer is sure where the text is met whole, or all of
what the question gives as the message.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.answer_type import holds
from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked, given_texts
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_span, in_short
from quipu.answer.windows import fenced
from quipu.kinds.files.code_answers import CodeRecords
from quipu.kinds.files.code_text import (
    CodeLines,
    indent_of,
    is_comment,
    lines_of,
    tokens_of,
)
from quipu.kinds.files.literals import TextMatch, matched, texts_in, words_in
from quipu.kinds.files.surroundings import (
    CLOSES,
    GIVES,
    comments_above,
    headers_of,
    lines_before,
    statement_lines,
    used_until,
)
from quipu.records.record import Chunk, Entity
from quipu.records.role import Role, role_of
from quipu.records.schema import EntityType, RelationType
from quipu.text import split_identifier, stems, stems_in_parts

__all__ = ["of_message"]

_FOUND = 20
_SEARCHED = 12
_USING = 16
_MOST = 3
_MOST_USES = 2
_MOST_DEFINED = 500
_LONGEST = 16
_LONGEST_STATEMENT = 12
_HEADERS = 4
_COMMENTED = 6
_LONGEST_LINE = 400
_BEFORE = 2
_SHORT = 12
_STEPS = 3
_FEWEST, _FEWEST_GIVEN, _TELLING = 4, 3, 2
_WHOLE, _NEARLY = 0.9, 0.8
_HEDGED = 0.82
_LEAST = 0.86
_BESIDE = 0.5
"""What is asked besides counts half: the message is met all the same."""
_OTHER: frozenset[Role] = frozenset({"test", "fixture", "example", "generated", "vendored"})
_DEFINED = frozenset({str(RelationType.DEFINED_IN)})
_KINDS = frozenset({"class", "function", "condition"})
"""What every place in code names."""
_TESTS = frozenset({"test", "tests"})
_CALLABLE = frozenset({"function", "method"})
_ARM = re.compile(r"(?:::|\.)([A-Za-z_]\w*+)\s*+(?:(?:\([^()]*\)|\{[^{}]*\})\s*+)?=>")
_ENTRY = re.compile(r"\s*[\"']?([A-Za-z_]\w{2,})[\"']?\s*:\s*$")
_ATTRIBUTE = re.compile(r"\s*(?:#\[|@\w|\[\w)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{4,}\b")
_EXAMINES = re.compile(
    r"\s*[})]?\s*(?:else\s+if|if|elif|elsif|while|match|switch|case|catch|except|rescue|assert\w*)\b"
)
_BRINGS_IN = re.compile(r"\s*(?:use|import|from|using|#include|require|export \{)\b")
# What is asked of a message besides what it says.
_ASKING = frozenset(
    stems(
        "app cause caused code come crash cryptic deal die error errors exception exceptions fail "
        "fails fatal fix get getting give gives given happen keep keeps likely line log logs "
        "meaning mean means message output panic print raise raised raises reason run running say "
        "saying says see seeing show solve start stop tell telling threw throw thrown throws "
        "trigger triggers type warn warning"
    )
)


class _Saying(NamedTuple):
    """A text that the question quotes: where its statement stands, and how sure it is meant."""

    code: CodeLines
    first: int
    last: int
    at: int
    sure: float
    match: TextMatch
    of_tests: bool
    document: str


class _Quote(NamedTuple):
    """Lines to quote, the symbol they stand in, whether a condition is among them."""

    code: CodeLines
    lines: tuple[int, ...]
    symbol: Entity | None
    conditional: bool
    document: str


def of_message(asked: Asked, records: CodeRecords) -> list[AnswerStatement]:
    """What says the message that the question is about, at most three statements; nothing where no
    text of the code is met."""
    question = words_in(asked.text)
    if len(question) < _FEWEST_GIVEN:
        return []
    return _Messages(asked, records, question).statements()


class _Messages:
    """The texts of code, as one question asks for them."""

    def __init__(
        self, asked: Asked, records: CodeRecords, question: Sequence[tuple[str, int]]
    ) -> None:
        self._asked = asked
        self._records = records
        self._planner = records.planner
        self._question = [word for word, _ in question]
        self._given = [_span(question, start, end) for start, end in given_texts(asked.text)]
        self._quoted: set[tuple[str, int]] = set()
        self._code: dict[str, tuple[CodeLines, list[Entity]]] = {}

    def statements(self) -> list[AnswerStatement]:
        """The statements, that which says the message first."""
        said = self._sayings()
        if not said:
            return []
        first = said[0]
        words = first.match.words if first.sure == 1 else 0
        alike = [s for s in said if s.sure == first.sure and s.match.words >= words][:_MOST]
        together = first.match.share < 1 or len(alike) > 1
        quotes = [q for s in alike for q in self._quotes(s, alone=not together)]
        quotes = _apart(quotes)[:_MOST]
        self._quoted = {(q.code.path, n) for q in quotes for n in q.lines}
        if not self._gives(quotes):
            return []
        share = first.sure if first.sure < 1 else self._explained(quotes)
        stated = [self._stated(quote, share) for quote in quotes]
        return self._cited_once([statement for statement in stated if statement is not None])

    def _gives(self, quotes: Sequence[_Quote]) -> bool:
        """Whether the kind of thing that is asked for, if any, is named in what is quoted."""
        kind = self._asked.kind
        lines = [q.code.line(n) for q in quotes for n in q.lines]
        names = [q.symbol.name for q in quotes if q.symbol]
        values = [_valued(e) for q in quotes for e in self._constants(q)]
        said = " ".join([*names, *lines, *values])
        return kind is None or holds(kind, said, self._asked.text) or bool(_KINDS & {kind})

    # --- what is met

    def _sayings(self) -> list[_Saying]:
        """The texts that the question quotes, those of source and the longest first."""
        found = [s for chunk, path in self._passages() for s in self._in_passage(chunk, path)]
        source = [s for s in found if not s.of_tests]
        for sayings in (source, found):
            if met := [s for s in sayings if s.sure]:
                return sorted(met, key=lambda s: (-s.sure, -s.match.words, s.code.path, s.first))
            if met := self._together(sayings):
                return met
        return []

    def _together(self, sayings: Sequence[_Saying]) -> list[_Saying]:
        """The texts that a message is put together of: each is met whole, and together they hold
        all that the question gives."""
        whole = [s for s in sayings if s.match.share >= 1 and s.match.words >= _TELLING]
        whole.sort(key=lambda s: (-s.match.words, s.code.path, s.first))
        for begin, end in self._given:
            parts: list[_Saying] = []
            for each in whole:
                apart = all(
                    each.match.end <= p.match.begin or p.match.end <= each.match.begin
                    for p in parts
                )
                if apart and begin <= each.match.begin and each.match.end <= end:
                    parts.append(each)
            share = max((p.match.of(begin, end) for p in parts), default=0.0)
            words = sum(p.match.words for p in parts)
            if len(parts) > 1 and words >= _FEWEST and max(share, words / (end - begin)) >= _WHOLE:
                return [part._replace(sure=_HEDGED) for part in parts]
        return []

    def _passages(self) -> Iterator[tuple[Chunk, str]]:
        """The passages of code that were found, and those that the words of the message lead to."""
        ids = [e.id for e in self._records.evidence[:_FOUND] if e.is_code]
        chunks = {c.chunk_id: c for c in self._planner.get(ids).values() if isinstance(c, Chunk)}
        for start, end in self._given or [(0, len(self._question))]:
            for chunk in self._search(" ".join(self._question[start:end]), _SEARCHED):
                chunks.setdefault(chunk.chunk_id, chunk)
        documents = self._planner.get(sorted({c.document_id for c in chunks.values()}))
        for chunk in chunks.values():
            document = documents.get(chunk.document_id)
            if isinstance(document, Entity):
                path = document.properties.get("file_path")
                yield chunk, path if isinstance(path, str) else document.name

    def _search(self, text: str, limit: int) -> list[Chunk]:
        terms = dict.fromkeys(stems_in_parts(text), 1.0)
        scope = self._records.pool.scope
        found = self._planner.match_text("code", terms, scope=scope, limit=limit).numbers
        return [c for c in self._planner.chunks(found) if c.profile == "code"]

    def _in_passage(self, chunk: Chunk, path: str) -> Iterator[_Saying]:
        tokens = tokens_of(path, chunk.text)
        for text in texts_in(tokens):
            match = matched(text, self._question)
            if not match or match.telling < 1:
                continue
            code, _ = self._file(chunk.document_id, path)
            first, last = statement_lines(tokens, text.first, text.last)
            yield _Saying(
                code,
                chunk.start_line + first,
                chunk.start_line + last,
                chunk.start_line + tokens[text.first].line,
                self._sure(match),
                match,
                self._is_of_tests(chunk, path),
                chunk.document_id,
            )

    def _sure(self, match: TextMatch) -> float:
        """How sure it is that a text is the message: 1 where it is met whole or holds all of what
        the question gives as one, 0 where it is not."""
        if match.telling < _TELLING:
            return 0.0
        given = max((match.of(*span) for span in self._given), default=0.0)
        whole = match.of(0, len(self._question))
        if match.words >= _FEWEST:
            if given >= _WHOLE or (match.share >= _WHOLE and max(given, whole) >= _NEARLY):
                return 1.0
            if match.share >= _WHOLE and given:
                return _HEDGED if given < _NEARLY else 1.0
            return _HEDGED if match.share >= _NEARLY and whole >= _NEARLY else 0.0
        is_all = match.words >= _FEWEST_GIVEN and match.share >= 1 and given >= _NEARLY
        return (1.0 if given >= _WHOLE else _HEDGED) if is_all else 0.0

    def _explained(self, quotes: Sequence[_Quote]) -> float:
        """The share of the question that the message and what is quoted of its code explain."""
        said = " ".join(
            f"{q.code.path} {q.symbol.name if q.symbol else ''} "
            f"{' '.join(q.code.line(n) for n in q.lines)}"
            for q in quotes
        )
        asked = set(self._asked.subject)
        left = asked - set(stems_in_parts(said)) - _ASKING
        for start, end in self._given:
            left -= set(stems(" ".join(self._question[start:end])))
        share = len(left) / len(self._asked.stems) if self._asked.stems else 0.0
        return max(1 - _BESIDE * share, _LEAST)

    # --- what is quoted

    def _file(self, document_id: str, path: str) -> tuple[CodeLines, list[Entity]]:
        """The lines of a file and the symbols that it defines."""
        if document_id not in self._code:
            document = self._planner.get([document_id]).get(document_id)
            chunks = self._records.chunks_of(document) if isinstance(document, Entity) else []
            near = self._planner.neighbors(
                [document_id], direction="in", types=_DEFINED, limit_per_id=_MOST_DEFINED
            )[document_id]
            ids = [r.source_entity_id for r in near]
            symbols = [e for e in self._planner.get(ids).values() if isinstance(e, Entity)]
            self._code[document_id] = (lines_of(path, chunks), symbols)
        return self._code[document_id]

    def _quotes(self, saying: _Saying, *, alone: bool) -> list[_Quote]:
        """The statement that holds a text and, where nothing leads to it there, what uses it."""
        own = self._quote(saying.code, saying.document, saying.first, saying.last)
        if (own.conditional and not _arm(saying)) or not alone:
            return [own]
        holder = _holder(saying, own)
        return [own, *self._uses(holder, saying, own)] if holder else [own]

    def _uses(self, name: str, saying: _Saying, own: _Quote) -> list[_Quote]:
        """The places that use what holds a text; of a function that says nothing of when, those
        that use that."""
        seen = {(saying.code.path, n) for n in range(saying.first, saying.last + 1)}
        seen |= {(own.code.path, n) for n in own.lines}
        names, found, known = [name], list[_Quote](), {name}
        for _ in range(_STEPS):
            ahead: list[str] = []
            for each in names:
                for quote in self._using(each, seen):
                    seen |= {(quote.code.path, n) for n in quote.lines}
                    if quote.conditional:
                        found.append(quote)
                    elif quote.symbol and (next_ := _last(quote.symbol)) not in known:
                        ahead.append(next_)
                        known.add(next_)
            if found or not ahead:
                break
            names = ahead[:_MOST]
        return found[:_MOST_USES]

    def _using(self, name: str, seen: set[tuple[str, int]]) -> Iterator[_Quote]:
        """The statements of source that say a name, without the line that defines it."""
        used = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        defines = re.compile(
            rf"\b(?:class|struct|enum|fn|func|def|function|type|impl|trait|interface|for)\b[^=(]*"
            rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        )
        chunks = self._search(" ".join(split_identifier(name)), _USING)
        documents = self._planner.get(sorted({c.document_id for c in chunks}))
        for chunk in chunks:
            document = documents.get(chunk.document_id)
            path = document.properties.get("file_path") if isinstance(document, Entity) else None
            if not isinstance(path, str) or self._is_of_tests(chunk, path):
                continue
            tokens = tokens_of(path, chunk.text)
            for at, token in enumerate(tokens):
                line = chunk.start_line + token.line
                if token.kind != "word" or not used.fullmatch(token.text) or (path, line) in seen:
                    continue
                code, _ = self._file(chunk.document_id, path)
                text = code.line(line)[:_LONGEST_LINE]
                if any(p.match(text) for p in (_BRINGS_IN, _EXAMINES)) or is_comment(text):
                    continue
                if defines.search(text):
                    continue
                first, last = statement_lines(tokens, at, at)
                yield self._quote(
                    code, chunk.document_id, chunk.start_line + first, chunk.start_line + last
                )

    def _is_of_tests(self, chunk: Chunk, path: str) -> bool:
        """Whether a passage is a test, in a file of them or in one of source."""
        if role_of(path, code=True) in _OTHER:
            return True
        _, symbols = self._file(chunk.document_id, path)
        around = _around(symbols, chunk.end_line)
        return around is not None and around.name.partition(".")[0] in _TESTS

    def _quote(self, code: CodeLines, document: str, first: int, last: int) -> _Quote:
        """A statement with what it is set in below, as far as the function that it stands in."""
        _, symbols = self._file(document, code.path)
        symbol = _around(symbols, first)
        begin = _start(symbol) if symbol else code.first
        if _is_called(symbol):
            last = min(used_until(code, first, last), first + _LONGEST_STATEMENT)
        headers = headers_of(code, first, begin)
        kept = {*range(first, last + 1), *comments_above(code, first, begin)}
        for above, below in headers[:_HEADERS]:
            kept |= {*range(above, below + 1), *comments_above(code, above, begin)}
        if not headers and symbol is not None and _end(symbol) - begin < _SHORT:
            kept |= {*range(begin, _end(symbol) + 1)}
        elif not headers and _is_called(symbol):
            kept |= {*range(max(begin, first - _SHORT + 1), first)}
            headers = [(begin, begin)]  # what leads there is said before it, not around it
        elif headers and CLOSES.fullmatch(code.line(last + 1)):
            kept.add(last + 1)
        if headers and first - max(below for _, below in headers) > _BEFORE:
            kept |= {*lines_before(code, first)}
        if max(kept) - min(kept) < _LONGEST:
            kept = {*range(min(kept), max(kept) + 1)}
        lines = sorted(kept)
        while len(lines) > 1 and not code.line(lines[0]).strip():
            lines.pop(0)
        is_constant = (
            not _is_called(symbol) and GIVES.match(code.line(first)[:_LONGEST_LINE]) is not None
        )
        return _Quote(code, tuple(lines), symbol, bool(headers) and not is_constant, document)

    def _stated(self, quote: _Quote, share: float) -> AnswerStatement | None:
        evidence = self._cited(quote)
        if not evidence:
            return None
        shown: list[str] = []
        for n, before in zip(quote.lines, (quote.lines[0], *quote.lines), strict=False):
            if n - before > 1:
                shown.append(f"{' ' * indent_of(quote.code.line(n))}…")
            shown.append(quote.code.line(n))
        block = fenced(shown)
        if not block:
            return None
        symbol = quote.symbol
        name = symbol.name if symbol else quote.code.path
        text = f"In {code_span(name)}"
        if symbol and (doc := in_short(symbol.description, self._asked.subject)):
            text += f" ({doc.rstrip('.')})"
        if constants := self._constants(quote):
            text += f", where {', '.join(map(_valued, constants))}"
        return AnswerStatement(
            f"{text}:", evidence, kind=EntityType.SYMBOL, explained=share, quoted=block
        )

    def _cited_once(self, statements: Sequence[AnswerStatement]) -> list[AnswerStatement]:
        """The statements; lines of one passage that several rest on are cited as one piece."""
        every = [e for each in statements for e in each.evidence]
        united: dict[str, Evidence] = {}
        for each in every:
            first = min(e.start_line for e in every if e.id == each.id)
            last = max(e.end_line for e in every if e.id == each.id)
            chunk = self._planner.get([each.id]).get(each.id)
            if isinstance(chunk, Chunk):
                at = first - chunk.start_line
                lines = chunk.text.split("\n")[at : at + last - first + 1]
                whole = each._replace(start_line=first, end_line=last, text="\n".join(lines))
                united.setdefault(each.id, whole)
            united.setdefault(each.id, each)
        return [s._replace(evidence=tuple(united[e.id] for e in s.evidence)) for s in statements]

    def _constants(self, quote: _Quote) -> list[Entity]:
        """The constants that are quoted, where the same file gives their values elsewhere."""
        _, symbols = self._file(quote.document, quote.code.path)
        valued = {
            _last(e): e
            for e in symbols
            if isinstance(value := e.properties.get("value"), str)
            and "\n" not in value
            and (quote.code.path, _start(e)) not in self._quoted
        }
        names = dict.fromkeys(
            name
            for n in quote.lines
            if not is_comment(quote.code.line(n))
            for name in _CONSTANT.findall(quote.code.line(n))
        )
        return [valued[name] for name in names if name in valued][:_MOST]

    def _cited(self, quote: _Quote) -> tuple[Evidence, ...]:
        document = self._planner.get([quote.document]).get(quote.document)
        record = quote.symbol or document
        if not isinstance(record, Entity):
            return ()
        ids = tuple(dict.fromkeys((record.entity_id, quote.document)))
        runs: dict[str, tuple[Chunk, list[int]]] = {}
        for n in quote.lines:
            at = n - quote.code.first
            chunk = quote.code.chunks[at] if 0 <= at < len(quote.code.chunks) else None
            if chunk is not None:
                runs.setdefault(chunk.chunk_id, (chunk, []))[1].append(n)
        cited = tuple(
            self._records.line_of(
                chunk,
                ids,
                record,
                at[0],
                [quote.code.line(n) for n in range(at[0], at[-1] + 1)],
            )
            for chunk, at in list(runs.values())[-_MOST:]
        )
        return (*cited, *(e for c in self._constants(quote) for e in self._line_of(c, quote.code)))

    def _line_of(self, symbol: Entity, code: CodeLines) -> Iterator[Evidence]:
        """The line that a symbol begins with, as evidence."""
        at = _start(symbol) - code.first
        chunk = code.chunks[at] if 0 <= at < len(code.chunks) else None
        if chunk is not None:
            ids = (symbol.entity_id, chunk.document_id)
            lines = [code.line(_start(symbol))]
            yield self._records.line_of(chunk, ids, symbol, _start(symbol), lines)


def _span(question: Sequence[tuple[str, int]], start: int, end: int) -> tuple[int, int]:
    """The words of a question that stand between two places of its text."""
    inside = [n for n, (_, at) in enumerate(question) if start <= at < end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def _apart(quotes: Sequence[_Quote]) -> list[_Quote]:
    """The quotes, without those whose lines another holds already, or says as well."""
    kept: list[_Quote] = []
    for quote in quotes:
        lines = {(quote.code.path, n) for n in quote.lines}
        texts = [quote.code.line(n).strip() for n in quote.lines]
        if any(
            lines <= {(k.code.path, n) for n in k.lines}
            or texts == [k.code.line(n).strip() for n in k.lines]
            for k in kept
        ):
            continue
        kept.append(quote)
    return kept


def _holder(saying: _Saying, own: _Quote) -> str:
    """The name of what holds a text: a constant, a variant, the type or function that says it."""
    if arm := _arm(saying):
        return arm
    before = saying.code.line(saying.at).partition('"')[0]
    if _ATTRIBUTE.match(saying.code.line(saying.first)):
        for at in range(saying.last + 1, min(saying.last + _COMMENTED, saying.code.last) + 1):
            below = saying.code.line(at)
            if below.strip() and not _ATTRIBUTE.match(below) and not is_comment(below):
                words = [w for w in _NAME.findall(below) if w not in _MODIFIERS]
                return words[0] if words else ""
    symbol = own.symbol
    given = GIVES.match(saying.code.line(saying.first)[:_LONGEST_LINE])
    if given and not _is_called(symbol):
        return given[1].rpartition(".")[2]
    if entry := _ENTRY.match(before):
        return entry[1]
    if symbol is None:
        return ""
    outer = symbol.name.rpartition(".")[0].rpartition(".")[2]
    return outer or _last(symbol)


_MODIFIERS = frozenset(
    "pub public private protected internal static final const class struct enum fn func def".split()
)


def _around(symbols: Sequence[Entity], line: int) -> Entity | None:
    """The innermost symbol that a line stands in; a function before a variable in it."""
    inside = [e for e in symbols if _start(e) and _start(e) <= line <= _end(e)]
    called = [e for e in inside if e.properties.get("kind") in _CALLABLE]
    best = called or inside
    return min(best, key=lambda e: (_end(e) - _start(e), e.entity_id)) if best else None


def _valued(constant: Entity) -> str:
    """A constant with its value, as code."""
    return code_span(f"{_last(constant)} = {constant.properties.get('value')}")


def _arm(saying: _Saying) -> str:
    """The variant that a text is said of: `Error::Dry => "no water"`."""
    found = _ARM.search(saying.code.line(saying.at).partition('"')[0])
    return found[1] if found else ""


def _is_called(symbol: Entity | None) -> bool:
    return symbol is not None and symbol.properties.get("kind") in _CALLABLE


def _last(symbol: Entity) -> str:
    return symbol.name.rpartition(".")[2]


def _start(symbol: Entity) -> int:
    start = symbol.properties.get("start_line")
    return start if isinstance(start, int) else 0


def _end(symbol: Entity) -> int:
    end = symbol.properties.get("end_line")
    return end if isinstance(end, int) else 0
