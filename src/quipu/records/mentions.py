"""Names in text, by rule: capitalised spans and their parts, years, quotations, identifiers, the
names of goals and tasks (`task-12`, `goal-reduce-the-wait`).

A name is compared by its *key*: its words, folded and lower-cased, with single spaces; an
identifier, path or symbol keeps its punctuation. Keys tie passages to each other, so they hold no
offsets and no case.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from string import ascii_lowercase
from typing import NamedTuple

from quipu.patterns import late
from quipu.text import STOP_WORDS, Token, fold, looks_like_identifier, name_key, tokens

__all__ = [
    "Mention",
    "find_mentions",
    "is_date",
    "key_words",
    "names_in",
    "names_within",
    "title_runs",
    "whole_titles",
]

# "task-force" and "goal-line" are words: a name has a number, or is as long as a title.
_WORK_NAME = r"(?:goal|task)-(?:(?=[\w.-]*\d)\w+(?:[.-]\w+)*|\w+(?:-\w+){2,})"
"""The name of a goal or a task."""

_LONGEST_RUN = 6
_CONNECTORS = frozenset(
    "of the de von van der den del della di da la le les du des y e el al bin ibn ben and for in "
    "on at to a an".split()
)
# At these a span is also read as two names: "the University of Oxford and Paris".
_DIVIDERS = frozenset("and for in on at to".split())
_ABBREVIATIONS = frozenset(
    "st mr mrs ms dr jr sr prof gen col lt sgt capt rev hon mt ft no vol op inc ltd co vs".split()
)
_PLAIN_GAPS = frozenset((" ", "  ", "-", "–", " & ", "&"))
_YEAR = late(r"(?:1\d|20)\d\ds?")
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE = late(rf"(?:(?:\d+(?:st|nd|rd|th|s)?|{_MONTH})(?: (?=\w)|$))+")
_QUOTED = late(
    r"“([^“”\n]{2,80})”|\"\s?([^\"\n]{2,80}?)\s?\"|``\s?([^`'\n]{2,80}?)\s?''|`([^`\n]{2,80})`"
)
_IDENTIFIER = late(r"[A-Za-z_][\w]*(?:(?:::|->|[./#:-])[\w][\w-]*)*(?:\(\))?")
# What every identifier has that is told from a word: most text has none of it, and is not read.
_OF_CODE = late(r"[./#](?=\w)|_|\(\)|::|->|[A-Z](?<=[a-z][A-Z])|\d(?<=[A-Za-z]\d)")
_WORK = late(rf"(?i)(?<![\w/-]){_WORK_NAME}")
_SMALL = frozenset(ascii_lowercase)
_SPACE = late(r"[ \n]")
_PATH = late(r"/.*/|/.*\w\.[a-z]{1,4}$|^[\w-]{2,}\.[a-z]{1,4}$")
_PARENTHESIS = late(r"\s*\([^)]*\)\s*$")


class Mention(NamedTuple):
    """A name where it stands: its key and the characters it covers."""

    key: str
    start: int
    end: int


_by_place = itemgetter(1, 2, 0)


def find_mentions(text: str, read: list[Token] | None = None) -> list[Mention]:
    """Every name in `text`, by (start, end, key); one span may give several.

    `read` are the tokens of `text`, where they are known.
    """
    folded = fold(text)
    words = read if read is not None and fold(folded) == folded else tokens(folded)
    found: set[Mention] = set()
    for first, last in _spans(folded, words):
        mention = _named(words, first, last)
        if mention:
            found.add(mention)
    if "1" in folded or "2" in folded:
        found.update(Mention(*word) for word in words if _YEAR.fullmatch(word[0]))
    if any(mark in folded for mark in '"“`'):
        found.update(_quotations(folded, words))
    found.update(_identifiers(folded))
    if any(mark in folded for mark in ("ask-", "oal-", "ASK-", "OAL-")):
        found.update(Mention(m[0].lower(), *m.span()) for m in _WORK.finditer(folded))
    return sorted(found, key=_by_place)


def _spans(folded: str, words: list[Token]) -> Iterator[tuple[int, int]]:
    """Word ranges that are names: whole capitalised spans, and their parts where they divide."""
    done = 0
    for position in [at for at, word in enumerate(words) if folded[word[1]] not in _SMALL]:
        if position < done or not _starts_name(folded, words, position):
            continue
        end, cuts = _extend(folded, words, position)
        if end - position == 2 and folded[words[position].start].isdigit():
            start = position + 1  # "1960 British": the year is a name of its own
        else:
            start = position
        yield start, end
        if cuts:
            for cut_start, cut_end in cuts:
                yield start, cut_start
                start = cut_end
            yield start, end
        done = end


def _starts_name(folded: str, words: list[Token], position: int) -> bool:
    first = folded[words[position].start]
    if first.isupper():
        return True
    if not first.isdigit() or position + 1 == len(words):
        return False
    after = words[position + 1]  # "1984 Summer Olympics"
    return folded[words[position].end : after.start] == " " and folded[after.start].isupper()


def _extend(folded: str, words: list[Token], start: int) -> tuple[int, list[tuple[int, int]]]:
    """Where the span that begins at `start` ends, and the word ranges it can be divided at."""
    end, count = start + 1, len(words)
    cuts: list[tuple[int, int]] = []
    before, _, reached = words[start]
    while end < count:
        word, begin, finish = words[end]
        gap = folded[reached:begin]
        if gap != " " and not _continues(before, gap):
            break
        head = folded[begin]
        if head.isupper() or head.isdigit():
            if "&" in gap or folded[reached - 2 : reached] == "'s":
                cuts.append((end, end))
            if word in _DIVIDERS:
                cuts.append((end, end + 1))
            before, reached = word, finish
            end += 1
            continue
        after = _connected(folded, words, end, reached)
        if after in (end, count) or not folded[words[after][1]].isupper():
            break
        before, begin, finish = words[after]
        if folded[words[after - 1][2] : begin] != " ":
            break
        if any(words[each][0] in _DIVIDERS for each in range(end, after)):
            cuts.append((end, after))
        end, reached = after + 1, finish
    return end, cuts


def _continues(before: str, gap: str) -> bool:
    if gap in _PLAIN_GAPS:
        return True
    return gap in (". ", ".") and (len(before) == 1 or before in _ABBREVIATIONS)


def _connected(folded: str, words: list[Token], position: int, reached: int) -> int:
    """The first word from `position` that connects no names; at most two do in a row."""
    for after in range(position, min(position + 2, len(words))):
        _, begin, finish = words[after]
        if folded[begin:finish] not in _CONNECTORS or folded[reached:begin] != " ":
            return after
        reached = finish
    return min(position + 2, len(words))


def _named(words: list[Token], first: int, last: int) -> Mention | None:
    """The words `first` to `last` as a name, without the stop words at its edges."""
    while first < last and words[first][0] in STOP_WORDS:
        first += 1
    while first < last and words[last - 1][0] in STOP_WORDS:
        last -= 1
    key = " ".join([word for word, _, _ in words[first:last] if word])
    if len(key) < 2 or (last - first == 1 and key.isdigit() and len(key) != 4):
        return None
    return Mention(key, words[first][1], words[last - 1][2])


def _quotations(folded: str, words: list[Token]) -> Iterator[Mention]:
    starts, ends = [word.start for word in words], [word.end for word in words]
    for match in _QUOTED.finditer(folded):
        start, end = match.span(match.lastindex or 0)
        inside = words[bisect_left(starts, start) : bisect_right(ends, end)]
        if not inside or len(inside) > 10:
            continue
        key = " ".join(word.word for word in inside if word.word)
        if len(key) > 1 and key not in STOP_WORDS:
            yield Mention(key, start, end)
        mention = _named(inside, 0, len(inside))
        if mention:
            yield mention


def _identifiers(folded: str) -> Iterator[Mention]:
    end = 0
    while hint := _OF_CODE.search(folded, end):  # and read what stands around it between spaces
        at = hint.start()
        start = max(folded.rfind(" ", end, at), folded.rfind("\n", end, at)) + 1 or end
        space = _SPACE.search(folded, at)
        end = space.start() if space else len(folded)
        yield from _identifiers_in(folded, start, end)


def _identifiers_in(folded: str, start: int, end: int) -> Iterator[Mention]:
    for match in _IDENTIFIER.finditer(folded, start, end):
        written = match.group()
        if written.isalpha() and (written.islower() or written.istitle() or written.isupper()):
            continue
        if len(written) > 2 and (_PATH.search(written) or looks_like_identifier(written)):
            yield Mention(name_key(written), match.start(), match.end())


@lru_cache(maxsize=65536)
def key_words(text: str) -> tuple[str, ...]:
    """The words of a title or a key, in order: what runs are compared by."""
    return tuple(word.word for word in tokens(text) if word.word)


def is_date(key: str) -> bool:
    """Whether a name's key is nothing but a date: "1936", "1990s", "25 december 1913", "may"."""
    return _DATE.fullmatch(key) is not None


@lru_cache(maxsize=65536)
def names_within(key: str) -> tuple[str, ...]:
    """The runs of two words and more inside a longer name that may be names themselves: "robert j
    bentley" of "governor of alabama robert j bentley"."""
    words = key.split(" ")
    count = len(words)
    return tuple(
        " ".join(words[first:last])
        for first in range(count)
        for last in range(first + 2, count + 1)
        if last - first < count and STOP_WORDS.isdisjoint((words[first], words[last - 1]))
    )


def title_runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every run of up to six words of a title that neither begins nor ends with a stop word."""
    for first in range(len(words)):
        if words[first] in STOP_WORDS:
            continue
        for last in range(first + 1, min(len(words), first + _LONGEST_RUN) + 1):
            if words[last - 1] not in STOP_WORDS:
                yield tuple(words[first:last])


@lru_cache(maxsize=4096)
def whole_titles(title: str) -> tuple[str, ...]:
    """The keys under which text may name the whole title: all of it, and without a final
    parenthesis ("Chatterbox (1936 film)"); each also without stop words at its edges."""
    keys: dict[str, None] = {}
    for variant in (title, _PARENTHESIS.sub("", title)):
        words = key_words(variant)
        keys[" ".join(words)] = None
        while words and words[0] in STOP_WORDS:
            words = words[1:]
        while words and words[-1] in STOP_WORDS:
            words = words[:-1]
        keys[" ".join(words)] = None
    keys.pop("", None)
    return tuple(keys)


def names_in(text: str) -> list[str]:
    """The names of goals and tasks that stand in a text, in order."""
    return _WORK.findall(text)
