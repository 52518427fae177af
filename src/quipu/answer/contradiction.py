"""Whether two sentences say opposite things with the same words.

Words alone do not tell "three times, one minute apart" from "one time, three minutes apart", nor
"above 71 %" from "below 71 %". Three things are compared: which number belongs to which noun,
which number stands beside which words where a sentence counts the same thing twice, and to which
side the words of direction point. Of converse words (before, after) the sides count too: "A before
B" is "B after A".
"""

import re
from itertools import combinations, takewhile
from typing import NamedTuple

from quipu.text import STOP_WORDS, stems

__all__ = ["contradicts", "in_numerals"]

_TO_TWENTY = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
_NUMERALS = {word: str(n) for n, word in enumerate(_TO_TWENTY.split(), 2)} | {
    word: str(10 * n) for n, word in enumerate(_TENS.split(), 3)
}
_SHORT = {
    "percent": "%",
    "second": "s sec secs",
    "millisecond": "ms msec",
    "minute": "min mins",
    "hour": "h hr hrs",
    "day": "d",
    "kilobyte": "kb kib",
    "megabyte": "mb mib",
    "gigabyte": "gb gib",
    "time": "tries attempts attempt occasions",
}
_UNITS = {short: unit for unit, written in _SHORT.items() for short in written.split()}
_NUMERAL = re.compile(rf"\b(?:{'|'.join(_NUMERALS)})\b", re.IGNORECASE)
_TIMES = re.compile(
    r"\b(?:(?P<twice>twice)|(?P<thrice>thrice)"
    r"|once(?=\s+(?:a|an|per|every|each|only|daily|weekly)\b|\s*[,.;]|\s*$))",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"(?<=\d)[,_](?=\d{3}\b)")
_PIECE = re.compile(r"(?<![\w-])\d+(?:[.:]\d+)*|%|[^\W\d_]+(?:['’][^\W\d_]+)*|[,;()—–]")
_WHOLE = re.compile(r"\w+(?:[-.:/]\w+)*|%|[,;()—–]")
_BOUNDARIES = frozenset({",", ";", "(", ")", "—", "–", "and", "or", "but", "while", "whereas"})
_SPEAKING = frozenset({"about", "only", "exactly", "around", "roughly", "nearly", "just", "some"})


class _Number(NamedTuple):
    """A number, the nouns beside it, and where it stands among the pieces."""

    value: str
    after: str
    before: str
    at: int


class _Pair(NamedTuple):
    """Two sides of one thing. Of `converse` words what stands left and right changes places."""

    one: re.Pattern[str]
    other: re.Pattern[str]
    converse: bool


def _pair(one: str, other: str, *, converse: bool = False) -> _Pair:
    def side(words: str) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)

    return _Pair(side(one), side(other), converse)


_SWITCHED = r"(?:turn\w*|switch\w*|is|are|be|was|were|stays?|set|kept|defaults? to)"
_PAIRS = (
    _pair(
        r"above|beyond|exceed\w*|at least|no (?:less|fewer) than|over(?=\s+\W?\d)|or more|"
        r"(?:more|greater|higher|larger|longer|later) than",
        r"below|beneath|at most|no more than|(?:under|up to|within)(?=\s+\W?\d)|or (?:less|fewer)|"
        r"(?:less|fewer|lower|smaller|shorter|earlier) than",
        converse=True,
    ),
    _pair(
        r"before|prior to|ahead of|preced\w+|until",
        r"after|following|once|since|succeed(?:s|ed) (?=\w)",
        converse=True,
    ),
    _pair(
        r"supersedes?|replaces?|takes the place of",
        r"(?:superseded|replaced) by|gives? way to",
        converse=True,
    ),
    _pair(r"owns?|manages?|maintains?", r"(?:owned|managed|maintained) by", converse=True),
    _pair(
        r"depends? on|requires?|relies on|rely on|needs?", r"required by|needed by", converse=True
    ),
    _pair(
        r"increas\w+|rais\w+|ris(?:es|ing|e|en)|grows?|grew|grown|growing|climb\w*|gain(?:s|ed)|"
        r"doubl\w+|speeds? up|faster|expand\w*|w?e?nt up|goes up|larger|higher",
        r"decreas\w+|lower\w*|reduc\w+|fall(?:s|en|ing)?|fell|drop\w*|shr[aiu]nk\w*|halv\w+|"
        r"slows? down|slower|went down|goes down|declin\w+|smaller",
    ),
    _pair(rf"enabl\w+|activat\w+|{_SWITCHED} on", rf"disabl\w+|deactivat\w+|{_SWITCHED} off"),
    _pair(
        r"min|minimum|minimal|smallest|lowest|least|shortest|fewest|fastest|cheapest",
        r"max|maximum|maximal|largest|highest|most|longest|biggest|slowest|dearest",
    ),
    _pair(r"first|earliest|oldest|initial\w*", r"last|latest|newest|final\w*"),
    _pair(r"begin\w*|began|start\w*", r"ends?|ended|ending|finish\w*|stop\w*"),
    _pair(
        r"allow\w*|permit\w*|accept\w*|grant\w*|admit\w*",
        r"forbid\w*|forbade|den(?:y|ies|ied)|refus\w+|reject\w*|prohibit\w*|block\w*|revok\w+",
    ),
    _pair(r"includ\w+|with|contain\w*", r"exclud\w+|without|omit\w*|leaves? out|left out"),
    _pair(r"add(?:s|ed|ing)?|insert\w*|creat\w+", r"remov\w+|delet\w+|strip\w*|destroy\w*"),
    _pair(r"open\w*", r"clos\w+|shuts?"),
    _pair(r"succeed\w*|success\w*|pass(?:es|ed)?", r"fail\w*|crash\w*"),
    _pair(r"mandatory|must|required", r"optional\w*"),
    _pair(r"public\w*|external\w*", r"private\w*|internal\w*"),
    _pair(r"ascending", r"descending"),
    _pair(r"synchronous\w*", r"asynchronous\w*|async"),
    _pair(r"encrypt\w*", r"unencrypted|decrypt\w*|plain ?text"),
    _pair(r"inbound|incoming|ingress", r"outbound|outgoing|egress"),
    _pair(r"receiv\w+|reads?|download\w*", r"sends?|sent|writes?|written|upload\w*"),
    _pair(r"imports?|imported", r"exports?|exported"),
    _pair(r"upstream|upwards?", r"downstream|downwards?"),
    _pair(r"up", r"down"),
    _pair(r"northern|north", r"southern|south"),
    _pair(r"eastern|east", r"western|west"),
    _pair(r"left", r"right"),
    _pair(r"true", r"false"),
    _pair(r"older|old", r"newer|new"),
    _pair(r"more", r"less|fewer"),
    _pair(r"early|earlier", r"late|later"),
    _pair(r"primary", r"secondary|replicas?|standby"),
    _pair(r"manual\w*", r"automatic\w*"),
)
"""Words of direction, as data: the one side of a pair cannot stand for the other."""
_OBJECT = 4


def in_numerals(text: str) -> str:
    """`text` with its numbers in digits: "three" is "3", "twice" is "2 times"."""
    digits = _NUMERAL.sub(lambda m: _NUMERALS[m[0].lower()], _GROUPED.sub("", text))
    return _TIMES.sub(lambda m: f"{2 if m['twice'] else 3 if m['thrice'] else 1} times", digits)


def contradicts(sentence: str, said: str, *, asks: bool = False) -> bool:
    """Whether `sentence` says of its numbers and directions what `said`, which is made of the same
    words, does not. What only one of the two speaks of contradicts nothing; a sentence that `asks`
    leaves open who does what to whom."""
    one, other = in_numerals(sentence), in_numerals(said)
    pairs = [pair for pair in _PAIRS if not (asks and pair.converse)]
    return _numbers_differ(one, other) or any(_points_away(one, other, pair) for pair in pairs)


def _numbers_differ(sentence: str, said: str) -> bool:
    mine, theirs = _numbers(sentence), _numbers(said)
    for number in mine:
        side = "after" if number.after else "before"
        noun = getattr(number, side)
        counted = {n.value for n in theirs if noun and getattr(n, side) == noun}
        units = {n.after for n in theirs if n.value == number.value}
        if counted and number.value not in counted:
            return True
        if number.after in _MEASURES and units and units <= _MEASURES - {number.after}:
            return True
    return any(_moved(number, mine, sentence, theirs, said) for number in mine)


def _numbers(text: str) -> list[_Number]:
    pieces = [piece.lower() for piece in _PIECE.findall(text)]
    found: list[_Number] = []
    for at, piece in enumerate(pieces):
        after = _noun(pieces[at + 1 : at + 4])
        if piece[0].isdigit() or (piece == "one" and after and pieces[at + 1] not in STOP_WORDS):
            before = _noun(pieces[max(at - 3, 0) : at][::-1])
            found.append(_Number("1" if piece == "one" else piece, after, before, at))
    return found


def _noun(pieces: list[str]) -> str:
    """The first word of content, as its stem or its unit; none beyond a boundary or a number."""
    for piece in pieces:
        if piece in _BOUNDARIES or piece[0].isdigit() or piece == "one":
            return ""
        if piece in _UNITS:
            return _stem(_UNITS[piece])
        if piece not in STOP_WORDS and piece not in _SPEAKING:
            return _stem(piece)
    return ""


def _stem(word: str) -> str:
    return " ".join(stems(word)) or word


_MEASURES = frozenset(
    _stem(word) for word in {*_UNITS.values(), *"day week month year byte".split()}
)
"""Stems of units: the same number of another unit is another statement."""


def _moved(
    number: _Number, mine: list[_Number], sentence: str, theirs: list[_Number], said: str
) -> bool:
    """Whether a number stands beside words that `said` puts beside another number of the same
    noun: "5 times in staging" where it says "3 times in staging and 5 times in production"."""
    rivals = [n for n in theirs if n.after and n.after == number.after]
    if len({n.value for n in rivals}) < 2:
        return False
    parts = _parts(said, rivals)
    shared = set[str]().union(*(a & b for (_, a), (_, b) in combinations(parts, 2)))
    own = {word for value, part in parts if value == number.value for word in part} - shared
    others = {word for value, part in parts if value != number.value for word in part} - shared
    alike = [n for n in mine if n.after == number.after]
    words = set(stems(sentence))
    if len(alike) > 1:
        words = _parts(sentence, alike)[alike.index(number)][1]
    return not words & own and bool(words & others)


def _parts(text: str, numbers: list[_Number]) -> list[tuple[str, set[str]]]:
    """What stands with each number up to the next boundary: after it, and before it where that is
    so of each of them (of "it takes 3 minutes here and 5 there" the first words are both's)."""
    pieces = [piece.lower() for piece in _PIECE.findall(text)]
    after = [_up_to_boundary(pieces[n.at + 1 :]) for n in numbers]
    before = [_up_to_boundary(pieces[: n.at][::-1]) for n in numbers]
    each = before if all(before) else [set[str]() for _ in numbers]
    return [(n.value, a | b) for n, a, b in zip(numbers, after, each, strict=True)]


def _up_to_boundary(pieces: list[str]) -> set[str]:
    words = takewhile(lambda p: p not in _BOUNDARIES and not p[0].isdigit(), pieces)
    return set(stems(" ".join(words)))


def _points_away(sentence: str, said: str, pair: _Pair) -> bool:
    if pair.converse:
        return _turned(sentence, said, pair)
    mine, theirs = _sides(sentence, pair), _sides(said, pair)
    return any(
        mine[side] - theirs[side]
        and theirs[1 - side] - mine[1 - side]
        and not theirs[side] - mine[side]
        for side in (0, 1)
    )


def _sides(text: str, pair: _Pair) -> tuple[set[str], set[str]]:
    """The words of each side that stand in `text`, as stems."""
    one, other = (
        {" ".join(map(_stem, m[0].lower().split())) for m in pattern.finditer(text)}
        for pattern in (pair.one, pair.other)
    )
    return one, other


def _turned(sentence: str, said: str, pair: _Pair) -> bool:
    """Whether the words of a converse pair, or what they stand between, are the other way round;
    both at once say the same."""
    mine, theirs = _side(sentence, pair), _side(said, pair)
    if mine is None or theirs is None:
        return False
    swapped = (
        not mine.object & theirs.object
        and bool(mine.object & theirs.rest)
        and bool(mine.rest & theirs.object)
    )
    return (mine.side != theirs.side) != swapped


class _Side(NamedTuple):
    """To which side a sentence points, what stands right after the word, and what else."""

    side: int
    object: set[str]
    rest: set[str]


def _side(text: str, pair: _Pair) -> _Side | None:
    """None where no word of the pair stands, or words of both sides do."""
    found = [pattern.search(text) for pattern in (pair.one, pair.other)]
    inside = [m for m in found if m is not None]
    if len(inside) == 2:  # "required by" holds "required"; the longer one is meant
        one, other = inside
        if one.start() < other.end() and other.start() < one.end():
            inside = [max(inside, key=lambda m: m.end() - m.start())]
    if len(inside) != 1:
        return None
    match = inside[0]
    words = list(takewhile(lambda p: p not in _BOUNDARIES, _words(text[match.end() :])))
    content = [_stem(word) for word in words if word not in STOP_WORDS]
    after = set(content[:_OBJECT])
    rest = {_stem(word) for word in _words(text[: match.start()]) + _words(text[match.end() :])}
    return _Side(0 if match is found[0] else 1, after, rest - after)


def _words(text: str) -> list[str]:
    return [_UNITS.get(word) or word for word in _WHOLE.findall(text.lower())]
