"""Words as the treebank cuts them ("don't" is "do" and "n't"), what is said of one: its lemma; and
the sentence that they are parsed to.

Pure; every word knows its characters in the text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

__all__ = [
    "ASKING",
    "ParsedToken",
    "Sentence",
    "Spelled",
    "lemma_of",
    "participle",
    "rule_lemma",
    "spelled",
    "split_words",
]


ASKING = frozenset("who what where when why how which".split())
"""What a question may ask for by."""


def _halves(pair: str) -> tuple[str, str]:
    one, _, other = pair.partition("/")
    return one, other


_PARTICIPLES = dict(
    _halves(pair)
    for pair in (
        "bear/born beat/beaten become/become begin/begun bind/bound break/broken bring/brought "
        "build/built buy/bought catch/caught choose/chosen cost/cost cut/cut deal/dealt do/done "
        "draw/drawn drink/drunk drive/driven eat/eaten feed/fed find/found fly/flown forget/"
        "forgotten freeze/frozen get/got give/given grow/grown have/had hear/heard hide/hidden "
        "hit/hit hold/held keep/kept know/known lay/laid lead/led leave/left lend/lent let/let "
        "lose/lost make/made mean/meant meet/met overwrite/overwritten pay/paid put/put read/read "
        "rebuild/rebuilt rewrite/rewritten ride/ridden ring/rung run/run say/said see/seen "
        "seek/sought sell/sold send/sent set/set shake/shaken shoot/shot show/shown shut/shut "
        "sing/sung speak/spoken spend/spent split/split spread/spread steal/stolen stick/stuck "
        "swear/sworn sweep/swept take/taken teach/taught tear/torn tell/told think/thought "
        "throw/thrown understand/understood wear/worn win/won write/written"
    ).split()
)

_WORD = re.compile(
    r"""
      https?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+       # addresses
    | (?:[A-Za-z]\.){2,}                                    # U.S.
    | [A-Z]\.(?=\s[A-Z])
    | (?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|Inc|Ltd|Co|Corp|No)\.
    | \d+(?:\.\d+)?[eE][+-]?\d+\b                          # 2e-10
    | \d+(?:[.,:/-]\d+)*(?:[a-zA-Z]+(?![\w-]))?             # 1,000.50 10:30 2027-05-04 5k 4th
    | [^\W\d_]+(?:-[^\W\d_]+)*n['’]t\b
    | [A-Za-z_]\w*=\d[\w.]*                                  # max_connections=300
    | [\w@#]+(?:[-_./&+][\w]+)*[+#]*
    | -{1,2}>|[→⇒]|\.{2,}|…|-{2,}|={2,}|[!?]{2,}|:-?[)(]
    | ['’](?:s|m|re|ve|ll|d)\b
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHORT = (
    "i'm i've you're you've you'll they're they've they'll we've he's she's that's that'll it'll "
    "there's here's what's who's where's how's don't doesn't didn't isn't aren't wasn't weren't "
    "haven't hasn't hadn't won't can't couldn't wouldn't shouldn't mustn't needn't ain't"
).split()
"""What is one word only where its apostrophe is left out; "were", "well", "id" are others too."""
_APOSTROPHES = {
    written: short.index("'")
    for short in _SHORT
    for written in (short.replace("'", ""), short.replace("'", "").capitalize())
}
_AFTER_IT_IS = (
    "a|an|the|not|been|now|still|just|so|too|my|your|our|his|her|their|in|on|at|from|with|for|me|"
    "got|gonna|like|called|all|both|about"
)
"""What stands behind "it's" and behind no "its"."""
_UNMARKED = re.compile(
    rf"(?<![\w'’/.@#-])(?:(?:{'|'.join(_APOSTROPHES)})(?![\w'’/@-]|\.\w)"
    rf"|[iI]ts(?= (?:(?:{_AFTER_IT_IS})\b|[\d$£€])))"
)
_ITS = 2
_NEGATED = re.compile(r"(?i)^(.+?)(n['’]t)$")
_JOINED = re.compile(r"(?i)^(can)(not)$|^(gon|wan|got)(na|ta)$")
_HYPHEN = re.compile(r"(?:[^\W\d_]{3,}|\d+)(?:-[^\W\d_]{2,})+")
_PREFIXES = ("non-", "pre-", "mid-", "post-", "anti-", "semi-", "pro-", "re-", "co-", "ex-", "e-")
_BEFORE_VERBS = ("re", "over", "under", "out", "un", "fore")
_VOWELS = "aeiou"


class Spelled(NamedTuple):
    """A text with the apostrophes that were left out, each at one of `gaps` (its places here)."""

    text: str
    gaps: tuple[int, ...] = ()

    def place(self, at: int) -> int:
        """Where a character of the text stood as it was given."""
        return at - bisect_left(self.gaps, at)

    def own(self, at: int) -> int:
        """Where a character of what was given stands."""
        for gap in self.gaps:
            at += gap <= at
        return at


def spelled(text: str) -> Spelled:
    """The text with the apostrophes that chats leave out: "im", "dont", "its 5" as "i'm", "don't",
    "it's 5", which the encoder and the parse know."""
    gaps = [
        match.start() + _APOSTROPHES.get(match.group(), _ITS) for match in _UNMARKED.finditer(text)
    ]
    if not gaps:
        return Spelled(text)
    cuts = [0, *gaps, len(text)]
    parts = [text[one:other] for one, other in pairwise(cuts)]
    return Spelled("'".join(parts), tuple(gap + n for n, gap in enumerate(gaps)))


def split_words(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The spans of the words and marks of `text[start:end]`, in order."""
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        found.extend(_cut(match.group(), match.start()))
    return found


def _cut(word: str, at: int) -> Iterator[tuple[int, int]]:
    if negated := _NEGATED.match(word):
        yield at, at + negated.end(1)
        yield at + negated.start(2), at + len(word)
    elif joined := _JOINED.match(word):
        first = joined.end(1) if joined[1] else joined.end(3)
        yield at, at + first
        yield at + first, at + len(word)
    elif _HYPHEN.fullmatch(word) and not word.lower().startswith(_PREFIXES):
        for part in re.finditer(r"-|[^-]+", word):
            yield at + part.start(), at + part.end()
    else:
        yield at, at + len(word)


def lemma_of(form: str, tag: str, exceptions: Mapping[str, str]) -> str:
    """The word as a dictionary lists it, in lower case; `exceptions` by `form/tag` come first."""
    low = form.lower().replace("’", "'")
    known = exceptions.get(f"{low}/{tag}")
    if known is None and tag == "VERB":  # "rewrote" as "wrote"
        prefix = next((each for each in _BEFORE_VERBS if low.startswith(each)), "")
        other = exceptions.get(f"{low.removeprefix(prefix)}/{tag}") if prefix else None
        known = prefix + other if other else None
    return known or rule_lemma(low, tag)


def rule_lemma(low: str, tag: str) -> str:
    """The lemma that the rules of spelling give."""
    if tag == "VERB":
        return _verb(low)
    if tag == "NOUN" and len(low) > 3:
        return _singular(low)
    return low


def _singular(low: str) -> str:
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) else low


def _verb(low: str) -> str:
    for ending in ("ing", "ed"):
        if low.endswith(ending) and any(c in "aeiouy" for c in low[: -len(ending)]):
            if ending == "ed" and low.endswith("ied") and len(low) > 4:
                return low[:-3] + "y"
            return _restored(low[: -len(ending)])
    if len(low) > 3 and low.endswith("s"):
        return _singular(low)
    return low


def _restored(stem: str) -> str:
    """The stem of "moved", "planned", "created" with or without the letter that was lost."""
    if len(stem) < 3:
        return stem + "e" if len(stem) == 2 and stem[0] in _VOWELS else stem
    last, before = stem[-1], stem[-2]
    if last == before and last not in "lsfz" + _VOWELS:
        return stem[:-1]
    traded = stem.endswith(("ad", "am")) and len(stem) > 3 and stem[-3] not in _VOWELS
    if last in "cvuz" or traded or (stem.endswith("at") and stem[-3] not in "eo"):
        return stem + "e"
    if last in "sg" and before not in "sgno":
        return stem + "e"
    if stem.endswith(("iz", "bl", "pl", "tl", "dl", "gl", "id", "ud", "ir", "ur", "ib", "chang")):
        return stem + "e"
    short = before in _VOWELS and stem[-3] not in _VOWELS and last in "tdkmnrlp"
    return stem + "e" if short and _is_one_syllable(stem) else stem


def participle(lemma: str) -> str:
    """What is done by a verb is …: `kept` for "keep", `stored` for "store", `logged` for "log"."""
    if lemma in _PARTICIPLES:
        return _PARTICIPLES[lemma]
    if lemma.endswith("e"):
        return f"{lemma}d"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return f"{lemma[:-1]}ied"
    closed = len(lemma) > 2 and lemma[-1] not in f"{_VOWELS}wxyh" and lemma[-2] in _VOWELS
    if closed and lemma[-3] not in _VOWELS and _is_one_syllable(lemma):
        return f"{lemma}{lemma[-1]}ed"
    return f"{lemma}ed"


def _is_one_syllable(stem: str) -> bool:
    return len(re.findall(r"[aeiouy]+", stem)) == 1


@dataclass(frozen=True, slots=True)
class ParsedToken:
    """A word or a mark: what it is (`tag`, a part of speech), which word of its sentence it hangs
    on (`head`, -1: none) and as what (`label`). `start` and `end` count characters of the text."""

    form: str
    lemma: str
    tag: str
    head: int
    label: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """The words of one sentence, and the characters of the text that it covers."""

    tokens: tuple[ParsedToken, ...]
    start: int
    end: int

    @cached_property
    def under(self) -> tuple[tuple[int, ...], ...]:
        """Of each word, those that hang on it, in order."""
        dependents: list[list[int]] = [[] for _ in self.tokens]
        for at, token in enumerate(self.tokens):
            if token.head >= 0:
                dependents[token.head].append(at)
        return tuple(map(tuple, dependents))

    @property
    def root(self) -> int:
        """The word that hangs on none."""
        return next(at for at, token in enumerate(self.tokens) if token.head < 0)
