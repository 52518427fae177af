"""Whether two sentences say opposite things with the same words.

Words alone do not tell "three times, one minute apart" from "one time, three minutes apart", nor
"above 71 %" from "below 71 %". Compared are which number belongs to which noun, which words stand
beside a number where a sentence counts the same thing twice, and to which side the words of
direction point (`opposites.toml`).
"""

import re
from itertools import combinations, takewhile
from typing import NamedTuple

from quipu.tables import read_table
from quipu.text import STOP_WORDS, stems

__all__ = ["contradicts", "in_numerals"]

_TABLE = read_table("quipu.answer", "opposites.toml")
_NUMERALS = {
    **{word: str(n) for n, word in enumerate(_TABLE["numerals"].split(), 2)},
    **{word: f"{n}0" for n, word in enumerate(_TABLE["tens"].split(), 3)},
}
_UNITS = {short: unit for unit, also in _TABLE["units"].items() for short in also.split()}
_BOUNDARIES = frozenset(_TABLE["boundaries"].split())
_BETWEEN = frozenset(_TABLE["between"].split()) | STOP_WORDS
_NUMERAL = re.compile(rf"\b(?:{'|'.join(_NUMERALS)})\b", re.IGNORECASE)
_TIMES = re.compile(
    r"\b(?:(?P<twice>twice)|(?P<thrice>thrice)"
    r"|once(?=\s+(?:a|an|per|every|each|only|daily|weekly)\b|\s*[,.;]|\s*$))",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"(?<=\d)[,_](?=\d{3}\b)")
_PIECE = re.compile(r"(?<![\w-])\d+(?:[.:]\d+)*|%|[^\W\d_]+(?:['’][^\W\d_]+)*|[,;()—–]")
_WHOLE = re.compile(r"\w+(?:[-.:/]\w+)*|[%,;()—–]")
"""Identifiers and numbers in one piece."""
_OBJECT = 4
"""Words of content after a word of direction that it is said of."""


class _Number(NamedTuple):
    """A number, the nouns after and before it, and the stems that stand there up to a boundary."""

    value: str
    after: str
    before: str
    following: frozenset[str]
    preceding: frozenset[str]


class _Sides(NamedTuple):
    """Two sides of one thing. Of `converse` words what stands left and right changes places."""

    sides: tuple[re.Pattern[str], re.Pattern[str]]
    converse: bool


def in_numerals(text: str) -> str:
    """`text` with its numbers in digits: "three" is "3", "twice" is "2 times"."""
    digits = _NUMERAL.sub(lambda m: _NUMERALS[m[0].lower()], _GROUPED.sub("", text))
    return _TIMES.sub(lambda m: f"{2 if m['twice'] else 3 if m['thrice'] else 1} times", digits)


def contradicts(sentence: str, said: str) -> bool:
    """Whether `sentence` says of its numbers and directions what `said`, which is made of the same
    words, does not. What only one of the two speaks of contradicts nothing."""
    one, other = in_numerals(sentence), in_numerals(said)
    return _numbers_differ(one, other) or any(
        (_is_turned if pair.converse else _is_opposed)(one, other, pair) for pair in _PAIRS
    )


def _stem(word: str) -> str:
    return " ".join(stems(word)) or word


def _pieces(text: str, pattern: re.Pattern[str] = _PIECE) -> list[str]:
    """Its words, numbers and boundaries, each unit as it is written in full."""
    return [_UNITS.get(piece, piece) for piece in map(str.lower, pattern.findall(text))]


def _numbers(text: str) -> list[_Number]:
    pieces = _pieces(text)
    found: list[_Number] = []
    for at, piece in enumerate(pieces):
        after, before = pieces[at + 1 :], pieces[:at][::-1]
        noun = _noun(after[:3])
        if piece[0].isdigit() or (piece == "one" and noun and after[0] not in STOP_WORDS):
            beside = _up_to_boundary(after), _up_to_boundary(before)
            value = "1" if piece == "one" else piece
            found.append(_Number(value, noun, _noun(before[:3]), *beside))
    return found


def _noun(pieces: list[str]) -> str:
    """The first word of content, as its stem; none beyond a boundary or a number."""
    telling = (piece for piece in pieces if piece not in _BETWEEN or piece in _BOUNDARIES)
    first = next(telling, "")
    return "" if not first or _ends(first) or first == "one" else _stem(first)


def _ends(piece: str) -> bool:
    return piece in _BOUNDARIES or piece[0].isdigit()


def _up_to_boundary(pieces: list[str]) -> frozenset[str]:
    return frozenset(stems(" ".join(takewhile(lambda piece: not _ends(piece), pieces))))


def _numbers_differ(sentence: str, said: str) -> bool:
    mine, theirs = _numbers(sentence), _numbers(said)
    for number in mine:
        noun = number.after or number.before
        counted = {n.value for n in theirs if noun == (n.after if number.after else n.before) != ""}
        units = {n.after for n in theirs if n.value == number.value}
        if counted and number.value not in counted:
            return True
        if number.after in _MEASURES and units and units <= _MEASURES - {number.after}:
            return True
    words = frozenset(stems(sentence))
    return any(_is_moved(number, mine, theirs, words) for number in mine)


def _is_moved(
    number: _Number, mine: list[_Number], theirs: list[_Number], words: frozenset[str]
) -> bool:
    """Whether a number stands beside words that `said` puts beside another number of the same
    noun: "5 times in staging" where it says "3 times in staging and 5 times in production"."""
    rivals = [n for n in theirs if n.after and n.after == number.after]
    if len({n.value for n in rivals}) < 2:
        return False
    parts = _beside(rivals)
    shared = frozenset[str]().union(*(a & b for a, b in combinations(parts, 2)))
    own, others = set[str](), set[str]()
    for rival, part in zip(rivals, parts, strict=True):
        (own if rival.value == number.value else others).update(part - shared)
    alike = [n for n in mine if n.after == number.after]
    if len(alike) > 1:
        words = _beside(alike)[alike.index(number)]
    return not words & own and bool(words & others)


def _beside(numbers: list[_Number]) -> list[frozenset[str]]:
    """What stands with each number: after it, and before it where that is so of each of them (of
    "it takes 3 minutes here and 5 there" the first words are both's)."""
    each_has = all(n.preceding for n in numbers)
    return [n.following | n.preceding if each_has else n.following for n in numbers]


def _is_opposed(sentence: str, said: str, pair: _Sides) -> bool:
    """Whether the one has a word of a side where the other has one of the other side alone."""
    mine, theirs = (
        [{_stem(m[0].lower()) for m in side.finditer(text)} for side in pair.sides]
        for text in (sentence, said)
    )
    return any(
        mine[side] - theirs[side]
        and theirs[1 - side] - mine[1 - side]
        and not theirs[side] - mine[side]
        for side in (0, 1)
    )


def _is_turned(sentence: str, said: str, pair: _Sides) -> bool:
    """Whether the words of a converse pair, or what they stand between, are the other way round;
    both at once say the same."""
    mine, theirs = _directed(sentence, pair), _directed(said, pair)
    if mine is None or theirs is None:
        return False
    (side, after, rest), (other_side, other_after, other_rest) = mine, theirs
    swapped = bool(after & other_rest) and bool(rest & other_after) and not after & other_after
    return (side != other_side) != swapped


def _directed(text: str, pair: _Sides) -> tuple[int, set[str], set[str]] | None:
    """To which side a sentence points, what stands right after the word, and what else; None where
    no word of the pair stands, or words of both sides do."""
    found = [(m, side) for side in (0, 1) if (m := pair.sides[side].search(text))]
    if len(found) == 2:  # "required by" holds "required"; the longer one is meant
        (one, _), (other, _) = found
        if one.start() < other.end() and other.start() < one.end():
            found = [max(found, key=lambda each: len(each[0][0]))]
    if len(found) != 1:
        return None
    ((match, side),) = found
    behind = takewhile(lambda piece: piece not in _BOUNDARIES, _pieces(text[match.end() :], _WHOLE))
    after = [_stem(piece) for piece in behind if piece not in STOP_WORDS][:_OBJECT]
    around = map(_stem, _pieces(f"{text[: match.start()]} {text[match.end() :]}", _WHOLE))
    return side, set(after), set(around) - set(after)


def _sides(words: list[str], *, converse: bool) -> _Sides:
    one, other = (re.compile(rf"\b(?:{side})\b", re.IGNORECASE) for side in words)
    return _Sides((one, other), converse)


_PAIRS = (
    *(_sides(pair, converse=True) for pair in _TABLE["sides"]["converse"]),
    *(_sides(pair, converse=False) for pair in _TABLE["sides"]["opposite"]),
)
_MEASURES = frozenset(map(_stem, _TABLE["units"]))
