"""Texts that stand in code, and how much of such a text a question quotes.

A text may be made of several literals one after another, and what is filled in (`{name}`, `%s`,
`" + name + "`) stands for any few words. A match is a run of the text's words in the question,
in their order.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from quipu.kinds.files.code_text import CodeToken, closings
from quipu.text import STOP_WORDS, fold

__all__ = ["CodeText", "TextMatch", "matched", "texts_in", "words_in"]

_WIDEST = 8
_MOST_WORDS = 120
_FEWEST_COMMON = 2
_SLIP = 0.6
_OPENS = re.compile(r"[rRbBuUfF$@]{0,2}#*(\"\"\"|'''|[\"'`])")
_FILLED = re.compile(
    r"\$\{[^{}\n]*\}|#\{[^{}\n]*\}|\{[^{}\n]{0,80}\}"
    r"|%[-+ #0]*+(?:\d++|\*)?(?:\.\d++)?(?:\(\w+\))?[a-zA-Z@]\b|%\(\w+\)[a-z]|\$\w+|<[a-z_]+>"
)
_ESCAPED = re.compile(r"\\(?:[nrt0]|\n\s*)")
_PIECE = re.compile(r"(?P<gap>\x00)|(?P<word>\w+)|(?P<end>[.!?:;\n](?=\s|$))")
_JOINS = frozenset({"+", ".", "..", "<<", "~"})


class CodeText(NamedTuple):
    """A text in code: its words, None for what is filled in, the sentence that each is in, and
    where in the tokens it begins and ends."""

    words: tuple[str | None, ...]
    parts: tuple[int, ...]
    first: int
    last: int


class TextMatch(NamedTuple):
    """How a text stands in a question: how many of its words, and how many of those are no function
    words; what share that is of its sentences that were met; the words of the question from
    `begin` to `end`, `loose` sides being what the text may go on with."""

    words: int
    telling: int
    share: float
    begin: int
    end: int
    loose: tuple[bool, bool]

    def of(self, begin: int, end: int) -> float:
        """The share of the words of a part of the question that the text has, or may hold."""
        first = begin if self.loose[0] and self.begin - begin <= _WIDEST else self.begin
        last = end if self.loose[1] and end - self.end <= _WIDEST else self.end
        common = max(min(last, end) - max(first, begin), 0)
        return common / (end - begin) if end > begin else 0.0


def words_in(text: str) -> list[tuple[str, int]]:
    """The words of a question, as they are compared, and where each begins."""
    return [(m[0].lower(), m.start()) for m in re.finditer(r"\w+", fold(text))]


def texts_in(tokens: Sequence[CodeToken]) -> Iterator[CodeText]:
    """The texts of a piece of code, each whole; no documentation."""
    ends = closings(tokens)
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "string" or _is_documentation(tokens, at):
            at += 1
            continue
        said, last = _whole(tokens, at, ends)
        words, parts = _worded(said)
        if words:
            yield CodeText(words, parts, at, last)
        at = last + 1


def _is_documentation(tokens: Sequence[CodeToken], at: int) -> bool:
    if not tokens[at].text.lstrip("rRbBuU").startswith(('"""', "'''")):
        return False
    before = next((t for t in reversed(tokens[:at]) if t.kind not in {"newline", "comment"}), None)
    return before is None or before.text == ":" or "\n\n" in tokens[at].text


def _whole(tokens: Sequence[CodeToken], at: int, ends: Mapping[int, int]) -> tuple[str, int]:
    """What the literal at `at` says together with those that it is put together with, and the place
    of the last of them."""
    said, last, i = _body(tokens[at].text), at, at + 1
    while i < len(tokens):
        if tokens[i].kind in {"newline", "comment"} or tokens[i].text == "\\":
            i += 1
        elif tokens[i].kind == "string" and not said.endswith("\x01"):
            said, last, i = said + _body(tokens[i].text), i, i + 1
        elif tokens[i].text in _JOINS:
            i = _skip(tokens, i + 1)
            if i < len(tokens) and tokens[i].kind == "string":
                said, last, i = said + _body(tokens[i].text), i, i + 1
                continue
            end = _past_expression(tokens, i, ends)
            if end == i:
                break
            said, last, i = said + "\x00", end - 1, end
        else:
            break
    return said, last


def _skip(tokens: Sequence[CodeToken], at: int) -> int:
    while at < len(tokens) and tokens[at].kind in {"newline", "comment"}:
        at += 1
    return at


def _past_expression(tokens: Sequence[CodeToken], at: int, ends: Mapping[int, int]) -> int:
    """The place behind a name with what it is called with."""
    while at < len(tokens):
        if tokens[at].kind == "word" or tokens[at].text in {".", "::", "->"}:
            at += 1
        elif tokens[at].kind == "open" and tokens[at].text in "([":
            end = ends.get(at)
            if end is None:
                return at
            at = end + 1
        else:
            break
    return at


def _body(literal: str) -> str:
    opens = _OPENS.match(literal)
    body = literal[opens.end() :].rstrip("#").removesuffix(opens[1]) if opens else literal
    return _FILLED.sub("\x00", _ESCAPED.sub("\n", body))


def _worded(said: str) -> tuple[tuple[str | None, ...], tuple[int, ...]]:
    words: list[str | None] = []
    parts: list[int] = []
    part = 0
    for piece in _PIECE.finditer(fold(said)):
        if piece.lastgroup == "end":
            part += 1
        elif piece.lastgroup == "word" or (words and words[-1] is not None) or not words:
            words.append(piece[0].lower() if piece.lastgroup == "word" else None)
            parts.append(part)
    return tuple(words[:_MOST_WORDS]), tuple(parts[:_MOST_WORDS])


def matched(text: CodeText, question: Sequence[str]) -> TextMatch | None:
    """The longest run of the words of a text in a question; None where they have not two telling
    words in common, or a name of code."""
    common = {w for w in text.words if w is not None and w not in STOP_WORDS} & set(question)
    if len(common) < _FEWEST_COMMON and not any("_" in word for word in common):
        return None
    best: dict[tuple[int, int], tuple[float, tuple[int, int] | None]] = {}
    top: tuple[float, int, int] = (0.0, 0, 0)
    places: dict[str | None, list[int]] = {}
    for j, asked in enumerate(question):
        places.setdefault(asked, []).append(j)
    for i, word in enumerate(text.words):
        for j in places.get(word, ()):
            score, before = 1.0, None
            for k, gap in _before(text.words, i, j):
                if (k, gap) in best and (found := best[k, gap][0] + _worth(text, i, k)) > score:
                    score, before = found, (k, gap)
            best[i, j] = (score, before)
            if score > top[0]:
                top = (score, i, j)
    return _traced(text, best, (top[1], top[2])) if top[0] else None


def _before(words: Sequence[str | None], i: int, j: int) -> Iterator[tuple[int, int]]:
    """Where the word before may stand: right before, before what is filled in, or one apart."""
    if i >= 1 and words[i - 1] is None:
        yield from ((i - 2, j - back) for back in range(1, _WIDEST + 2))
    else:
        yield i - 1, j - 1
        yield i - 2, j - 2
        yield i - 2, j - 1


def _worth(text: CodeText, i: int, k: int) -> float:
    """What a word adds to a run: less where one of the text was passed over."""
    slipped = i - k > 1 and text.words[i - 1] is not None
    return _SLIP if slipped else 1.0


def _traced(
    text: CodeText,
    best: dict[tuple[int, int], tuple[float, tuple[int, int] | None]],
    end: tuple[int, int],
) -> TextMatch:
    run: list[tuple[int, int]] = []
    at: tuple[int, int] | None = end
    while at is not None:
        run.append(at)
        at = best[at][1]
    run.reverse()
    words = [text.words[i] for i, _ in run]
    met = {text.parts[i] for i, _ in run}
    every = [w for w, p in zip(text.words, text.parts, strict=True) if w is not None and p in met]
    first, last = run[0][0], run[-1][0]
    before = text.words[first - 1] if first else ""
    after = text.words[last + 1] if last + 1 < len(text.words) else ""
    return TextMatch(
        words=len(run),
        telling=sum(w not in STOP_WORDS for w in words),
        share=len(run) / len(every),
        begin=run[0][1],
        end=run[-1][1] + 1,
        loose=(before is None, after is None),
    )
