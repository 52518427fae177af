"""Values that a turn states: how many, how much, what share, which day, what time, how something
stands (`turn_states`), and of what.

Read when the turn is written and kept in the tail of its columns, before the row of
`turn_columns`: what replaced what is then decided without any text (`turn_updates`).
"""

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from quipu.index.columns import tail
from quipu.kinds.conversations.columns import TURN
from quipu.kinds.conversations.states import read_states
from quipu.patterns import late
from quipu.text import STOP_WORDS, Token, fold, lower, stem, tokens

__all__ = ["KINDS", "VALUE", "pack_values", "read_values", "stem_hash", "stem_hashes"]

KINDS = ("clock", "day", "money", "share", "count", "state")
_NUMBERS, _STATE = KINDS[:-1], len(KINDS) - 1
_UNITS, _ABOUT = 3, 12
VALUE = np.dtype(
    [
        ("kind", "u1"),
        ("changed", "u1"),
        ("others", "u1"),
        ("spare", "u1"),
        ("value", "<u4"),
        ("unit", "<u4", (_UNITS,)),
        ("about", "<u4", (_ABOUT,)),
    ]
)
_MOST, _MOST_STATES = 16, 6
_LOOKED_AT = 6_000
_BEFORE, _AFTER = 12, 6
_NEAR_BEFORE, _NEAR_AFTER = 160, 90
_CHANGE_BEFORE, _CHANGE_AFTER = 8, 2
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WORDED = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_VALUE = late(
    r"(?P<clock>\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}:\d\d\b)"
    rf"|(?P<day>\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b"
    r"|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<money>[$€£] ?\d[\d,]*(?:\.\d+)?[km]?\b)"
    r"|(?P<share>\b\d+(?:\.\d+)? ?(?:%|percent\b))"
    rf"|(?P<count>(?<![\w./$€£-])(?:\d[\d,]*(?:\.\d+)?(?![\d./:]*\d)|{_WORDED}))"
    r"(?P<of>[a-z]{1,3}\b)?(?![\w%])"
)
_CODE = late(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_BREAK = late(r"[.!?;:\n](?:\s|$)")
_OTHERS = late(
    r"^\W*(?:(?:and|but|so) )?(?:his|her|their)\b|\b(?:my|our) (?:brother|sister|mother|father|mom|"
    r"mum|dad|wife|husband|partner|son|daughter|cousin|aunt|uncle|friend|colleague|boss|neighbou?r|"
    r"roommate)s?\b"
)
_APART = late(r"[^\s-]")
_CHANGES = frozenset(
    map(
        stem,
        "adjusted boosted changed currently decreased delayed dropped expanded extended grown "
        "improved increased instead latest lowered moved now new newly postponed pushed raised "
        "reached recently reduced rescheduled revised risen shifted switched updated".split(),
    )
)


def stem_hash(stem: str) -> int:
    """32 bits that stand for a stem; never 0, which stands for none."""
    return zlib.crc32(stem.encode("utf-8", "surrogatepass")) or 1


def stem_hashes(stems: Sequence[str]) -> NDArray[np.uint32]:
    """The hashes of stems."""
    return np.array([stem_hash(each) for each in stems], dtype=np.uint32)


def read_values(blob: bytes) -> NDArray[np.void]:
    """The values of a turn's packed columns, a row a value (dtype VALUE); none of older ones."""
    packed = tail(blob)[: -TURN.itemsize]
    return np.frombuffer(packed[: len(packed) // VALUE.itemsize * VALUE.itemsize], dtype=VALUE)


def pack_values(text: str) -> bytes:
    """The values that `text` states outside code: at most sixteen and six states, of its first
    6,000 characters. `about` are the stems around one in its sentence, `unit` those that it counts
    or, of a state, those that say of what it is."""
    plain = _CODE.sub(lambda code: " " * len(code.group()), text[:_LOOKED_AT])
    low = lower(fold(plain))
    words = [token for token in tokens(plain) if token.word]
    return _numbers(low, words) + _states(low, words)


def _numbers(low: str, words: Sequence[Token]) -> bytes:
    if not any(character.isdigit() for character in low) and not _NUMERAL.search(low):
        return b""
    starts = [token.start for token in words]
    rows = np.zeros(_MOST, dtype=VALUE)
    count = 0
    for match in _VALUE.finditer(low):
        if count == _MOST:
            break
        row = rows[count]
        row["kind"], said = next((i, s) for i, kind in enumerate(_NUMBERS) if (s := match[kind]))
        row["value"] = stem_hash(said.replace(",", "").replace(" ", ""))
        first, last = bisect_left(starts, match.start()), bisect_left(starts, match.end())
        if match["count"]:
            unit = [match["of"]] if match["of"] else list(_counted(words[last:], low, match.end()))
            row["unit"][: len(unit)] = stem_hashes(unit)
        before, after = _around(words, low, match, first, last)
        near = (*before[-_CHANGE_BEFORE:], *after[:_CHANGE_AFTER])
        row["changed"] = any(stem(word) in _CHANGES for word in near)
        row["others"] = _OTHERS.search(low[_start(low, match.start()) : match.start()]) is not None
        _note(row, [stem(w) for w in (*before, *after) if w not in STOP_WORDS and not w.isdigit()])
        count += 1
    return rows[:count].tobytes()


def _states(low: str, words: Sequence[Token]) -> bytes:
    starts = [token.start for token in words]
    rows = np.zeros(_MOST_STATES, dtype=VALUE)
    count = 0
    for count, state in enumerate(islice(read_states(low), _MOST_STATES), 1):
        row = rows[count - 1]
        row["kind"] = _STATE
        row["value"] = stem_hash(" ".join(state.value))
        row["unit"][: len(state.attribute)] = stem_hashes(state.attribute)
        inside = words[bisect_left(starts, state.start) : bisect_left(starts, state.end)]
        row["changed"] = any(stem(word.word) in _CHANGES for word in inside)
        said = [stem(word.word) for word in inside if word.word not in STOP_WORDS]
        _note(row, [*state.attribute, *state.value, *said])
    return rows[:count].tobytes()


def _note(row: np.void, stems: Sequence[str]) -> None:
    """What the value is about, each stem once."""
    about = list(dict.fromkeys(stems))[:_ABOUT]
    row["about"][: len(about)] = stem_hashes(about)


_NUMERAL = late(rf"\b(?:{_WORDED})\b", re.IGNORECASE)


def _counted(words: Sequence[Token], low: str, end: int) -> Iterator[str]:
    """The stems of what is counted: "12 probability problems", nothing of "7, how"."""
    for word in words[:_UNITS]:
        if word.word in STOP_WORDS or _APART.search(low, end, word.start):
            return
        yield stem(word.word)
        end = word.end


def _start(low: str, place: int) -> int:
    """Where the sentence of a place begins, as far as it is looked at."""
    floor = max(0, place - _NEAR_BEFORE)
    return max((b.end() for b in _BREAK.finditer(low, floor, place)), default=floor)


def _around(
    words: Sequence[Token], low: str, match: re.Match[str], first: int, last: int
) -> tuple[list[str], list[str]]:
    """The words before and after a value in its sentence."""
    floor = _start(low, match.start())
    end = _BREAK.search(low, match.end(), match.end() + _NEAR_AFTER)
    ceiling = end.start() if end else match.end() + _NEAR_AFTER
    before = [w.word for w in words[max(0, first - _BEFORE) : first] if w.start >= floor]
    after = [w.word for w in words[last : last + _AFTER] if w.end <= ceiling]
    return before, after
