"""Code: functions, classes and modules, asked for in natural language or by name.

Identifiers are split and stemmed; the words that say what a function is for count more: its
name five times, the first paragraph of its documentation three times, its parameters twice.
The reading is lexical and the same for every language.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from quipu.index.columns import pack
from quipu.kinds.files.prose import title_terms
from quipu.patterns import late
from quipu.profiles import Profile
from quipu.records.batch import IndexedChunk, Terms
from quipu.records.document import documents, is_directive
from quipu.records.mentions import Mention
from quipu.records.record import Chunk
from quipu.records.weights import CODE, base
from quipu.text import STOP_WORDS, fold, name_key, split_identifier, stem_words

__all__ = ["PROFILE", "code_terms", "index_chunk"]

_NAME, _DOC, _PARAMETERS, _OTHER = 5, 3, 2, 1
_MOST_NAMES = 60
_IDENTIFIER = late(r"[^\W\d]\w*")
_DEFINITION = late(
    r"\b(?:def|function|func|fn|fun|sub|class|struct|enum|trait|interface|module|impl|type)\s+"
    r"(?:\([^)]*\)\s*)?([^\W\d]\w*)\s*(?:<[^>]*>)?\s*(?:\(([^)]*)\))?"
)
_CALLABLE = late(r"([^\W\d]\w*)\s*\(([^)]*)\)\s*(?:const\s*)?\{")
_DOC_STRING = late(r"\"\"\"(.+?)(?:\"\"\"|\n\s*\n|\n\s*[:@]\w)|'''(.+?)(?:'''|\n\s*\n)", re.DOTALL)
_DOC_COMMENT = late(r"/\*\*?(.+?)(?:\*/|\n\s*\*?\s*\n|\n\s*\*\s*@)", re.DOTALL)
_LINE_COMMENTS = late(r"(?:^[ \t]*(?://[/!]?|#(?!!)|--)[^\n]*\n)+", re.MULTILINE)
_KEYWORDS = frozenset(
    "def function func fn fun class struct enum trait interface impl return if elif else for "
    "while try except finally raise import from self this cls none true false null void int let "
    "const var public private protected static final new async await lambda pass yield".split()
)


def index_chunk(chunk: Chunk) -> IndexedChunk:
    """The fields "code" (weighted parts), "title" (runs) and "name" (identifiers), and packed
    columns."""
    names = _identifiers(chunk)
    return IndexedChunk(
        chunk=chunk,
        fields={
            "code": code_terms(chunk.text, symbol=chunk.symbol or "", title=chunk.title),
            "title": title_terms(chunk.title),
            "name": dict(Counter(mention.key for mention in names)),
        },
        columns=pack([], names),
    )


def embedding_text(chunk: Chunk) -> tuple[str, list[tuple[int, int]]]:
    """The code itself, and the span of its documentation's first paragraph where it has one."""
    doc = _documentation(chunk.text)
    return chunk.text, [doc] if doc else []


def code_terms(text: str, *, symbol: str = "", title: str = "") -> Terms:
    """Stemmed identifier parts with integer weights for where they stand."""
    weights: Counter[str] = Counter()
    _count(weights, [text], _OTHER)
    _count(weights, [title], _OTHER)
    name, parameters = _signature(text)
    _count(weights, [symbol.rpartition(".")[2] or name], _NAME - _OTHER)
    _count(weights, [parameters], _PARAMETERS - _OTHER)
    doc = _documentation(text)
    if doc:
        _count(weights, [text[doc[0] : doc[1]]], _DOC - _OTHER)
    return dict(weights)


def _count(weights: Counter[str], texts: Iterable[str], times: int) -> None:
    for text in texts:
        parts = [
            part
            for identifier in re.findall(r"\w+", fold(text))
            for part in split_identifier(identifier)
            if part not in STOP_WORDS and part not in _KEYWORDS
        ]
        for stem in stem_words(parts):
            weights[stem] += times


def _signature(text: str) -> tuple[str, str]:
    """The name and the parameters of the first definition."""
    found = _DEFINITION.search(text) or _CALLABLE.search(text)
    return (found.group(1), found.group(2) or "") if found else ("", "")


def _documentation(text: str) -> tuple[int, int] | None:
    """The span of the first paragraph of documentation: a doc string or the first comment."""
    spans = [
        span
        for pattern in (_DOC_STRING, _DOC_COMMENT, _LINE_COMMENTS)
        if (span := _first_saying(pattern, text))
    ]
    return min(spans) if spans else None


def _first_saying(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """The first match that is no directive and no notice of a licence."""
    for match in pattern.finditer(text):
        start, end = match.span(match.lastindex or 0)
        while pattern is _LINE_COMMENTS and start < end and is_directive(text[start:end]):
            start = text.index("\n", start) + 1
        if documents(text[start:end]):
            return start, end
    return None


def _identifiers(chunk: Chunk) -> list[Mention]:
    """The symbol and the identifiers that can be told from words, each where it first stands."""
    first: dict[str, Mention] = {}
    if chunk.symbol:
        for written in (chunk.symbol, chunk.symbol.rpartition(".")[2]):
            first[name_key(written)] = Mention(name_key(written), 0, 0)
    for match in _IDENTIFIER.finditer(fold(chunk.text)):
        if len(first) == _MOST_NAMES:
            break
        written = match.group()
        bare = written.strip("_")
        if "_" in bare or (bare[1:] != bare[1:].lower() and not bare.isupper()):
            first.setdefault(
                name_key(written), Mention(name_key(written), match.start(), match.end())
            )
    first.pop("", None)
    return sorted(first.values(), key=lambda m: (m.start, m.end, m.key))


def score(parts: Mapping[str, float]) -> float:
    """The weighted sum of similarity, lexical and name, and what the graph adds to it."""
    own = base(
        CODE,
        parts.get("similarity", 0.0),
        parts.get("lexical", 0.0),
        parts.get("name", 0.0),
    )
    return own + CODE.graph_proximity * parts.get("graph_proximity", 0.0)


PROFILE = Profile(
    name="code",
    index_chunk=index_chunk,
    embedding_text=embedding_text,
    score=score,
    calibration=CODE.calibration,
    words_alone=CODE.words_alone,
    cosine="code passage",
)
