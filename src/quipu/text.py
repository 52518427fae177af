"""Tokens, stems, identifiers, sentences, names' keys and excerpts: the only tokenizer there is.

Offsets always count characters of the text that was given: folding never moves them.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, repeat
from typing import NamedTuple, cast

import Stemmer  # pyright: ignore[reportMissingTypeStubs]  # ships none

from quipu.language import language_of
from quipu.patterns import late

# Marks that a word is compared without, as it is without the accents of its letters, and blocks of
# scripts whose vowels are marks, which belong to the word.
_POINTS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
_ABUGIDAS = "\u0900-\u0963\u0966-\u0dff\u0f18-\u0f39\u0f3e-\u0fbc"
_POINT = late(f"[{_POINTS}]+")
_LIGATURES = {
    "ß": "ss",
    "œ": "oe",
    "æ": "ae",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
}
"""Letters that stand for several, as capitals and keyboards without them write these."""
_LIGATURE = late(f"[{''.join(_LIGATURES)}]")
_LETTERS = f"(?:[^\\W_]|[{_POINTS}{_ABUGIDAS}])+"
_WORD = late(f"({_LETTERS}(?:'{_LETTERS})*)")
_ASCII_WORD = late(r"([a-z0-9]+(?:'[a-z0-9]+)*)")  # the same words of lower-cased ASCII
# Scripts without spaces between words, and Hangul, whose words carry their particles.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = late(rf"([{_UNSPACED}]+)")
# A letter of Thai, Lao, Burmese or Khmer with the marks that it carries.
_SPELLED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_CARRIED = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3"
)
_IS_SPELLED = late(f"[{_SPELLED}]")
_LETTER = late(f".[{_CARRIED}]*")
_SPELLED_RUN, _PAIR = 3, 2  # letters that are looked for together: about a syllable, a short word
_HUMP = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_IDENTIFIER = late(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(\))?")
# It begins with what it is looked for by: a mark, which belongs to the sentence, or a line's end.
_SENTENCE_END = late(
    r"[.!?\n](?:(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9À-Þ])|(?<=\n)\s*\n)"
    r"|[。！？｡।॥۔؟][\"'”’」』）】]*\s*"
)
_ABBREVIATION = late(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|No|Vol|Inc|Ltd|Co|Corp|Fig|al)"
    r"|\b[A-Z])\.$"
)
_EDGE = late(r"^\W+|\W+$")
_DENIAL = late(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE
)
_SPACE = late(r"\s+")
_INVISIBLE = late("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DIGITS = late(r"([0-9]{1,18})")

# Function words, and the adverbs that open sentences with a capital letter.
STOP_WORDS = frozenset(
    """a about above after again against all also although am among an and another any are as at
    be because been before being below between both but by can could did do does doing down
    during each either else ever every few for from further had has have having he her here hers
    herself him himself his how however i if in instead into is it its itself just many may me
    meanwhile might moreover more most much must my myself neither no nor not now of off often
    on once one only or other others our ours ourselves out over own per s same several she
    should since so some such t than that the their theirs them themselves then there therefore
    these they this those though through thus till to together too toward two under unlike until
    up upon us very was we were what when where whether which while who whom whose why will with
    within without would yet you your yours""".split()
)


class Token(NamedTuple):
    """A word as it is compared: folded, lower-cased, without a possessive 's or apostrophes.

    The offsets are those of the word as it stands.
    """

    word: str
    start: int
    end: int


_token = cast(Callable[[type[Token], Iterable[object]], Token], tuple.__new__)  # pyright: ignore


class _Folds(dict[int, str]):
    """Folded characters by code point, worked out when first met."""

    def __missing__(self, code: int) -> str:
        folded = _FOLDED_BY_HAND.get(chr(code)) or _fold_character(chr(code))
        self[code] = folded
        return folded


_FOLDED_BY_HAND = {
    "\u2019": "'",
    "\u2018": "'",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "ı": "i",
}


def _fold_character(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character)
    base = "".join(c for c in decomposed if not unicodedata.combining(c))
    return base if len(base) == 1 else character


_folds = _Folds()


def fold(text: str) -> str:
    """`text` without accents and with straight apostrophes, the same length: offsets still fit."""
    return text if text.isascii() else text.translate(_folds)


def lower(folded: str) -> str:
    """Folded text in lower case, the same length (a few characters grow when lower-cased)."""
    lowered = folded.lower()
    if len(lowered) == len(folded):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in folded)


def visible(text: str) -> str:
    """Without the characters that nothing shows: names that differ by one look the same."""
    return _INVISIBLE.sub("", text)


def composed(text: str) -> str:
    """`text` with each accented letter as one character (NFC), however it was typed or stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def tokens(text: str) -> list[Token]:
    """The words of `text` in order; where a script puts no spaces between them, every pair of
    characters or three letters of an alphabet, which overlap."""
    ascii_only = text.isascii()
    if not ascii_only and _RUN.search(text):
        return list(_in_several_scripts(text))
    # What is between words, a word, in turn.
    pieces = _ASCII_WORD.split(text.lower()) if ascii_only else _WORD.split(lower(fold(text)))
    edges = list(accumulate(map(len, pieces)))
    words: Iterable[str] = pieces[1::2]
    if not ascii_only or "'" in text:
        words = map(_bare, words)
    return list(map(_token, repeat(Token), zip(words, edges[0::2], edges[1::2], strict=False)))


def _in_several_scripts(text: str) -> Iterator[Token]:
    """The words of a text in several scripts. Pairs of characters find what a dictionary of words
    would, and names that are in none (Kwok, "Comparing Representations in Chinese Information
    Retrieval", 1997)."""
    start = 0
    for i, piece in enumerate(_RUN.split(lower(fold(text)))):
        if i % 2:
            for at, end in _overlapping(piece):
                yield Token(piece[at:end], start + at, start + end)
        else:
            for word in _WORD.finditer(piece):
                yield Token(_bare(word[0]), start + word.start(), start + word.end())
        start += len(piece)


def _overlapping(run: str) -> Iterator[tuple[int, int]]:
    """The spans of what is looked for together in characters that no space divides."""
    edges = [0, *(letter.end() for letter in _LETTER.finditer(run))]
    count = _SPELLED_RUN if _IS_SPELLED.match(run) else _PAIR
    count = min(count, len(edges) - 1)
    return zip(edges, edges[count:], strict=False)


def _bare(word: str) -> str:
    if not word.isascii():
        word = _POINT.sub("", word) or word
    if "'" not in word:
        return word
    return word.removesuffix("'s").replace("'", "")


class _Snowball(threading.local):
    """Stemmers of a thread, made when first needed: one must not be shared."""

    def __init__(self) -> None:
        self._made: dict[str, Callable[[str], str]] = {}

    def stem(self, word: str, algorithm: str) -> str:
        if algorithm not in self._made:
            stemmer = Stemmer.Stemmer(algorithm, 0)  # pyright: ignore
            self._made[algorithm] = cast(Callable[[str], str], stemmer.stemWord)  # pyright: ignore
        return self._made[algorithm](word)


# A script's first and last letter, and the language whose endings are taken off words in it.
_OF_SCRIPT = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0531", "\u058f", "armenian"),
    ("\u0620", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)


def _algorithm(word: str) -> str:
    if not word.isascii():
        for first, last, algorithm in _OF_SCRIPT:
            if first <= word[-1] <= last:
                return algorithm
    return "english"


_snowball = _Snowball()


class _Stems(dict[str, str]):
    """Stems by word, worked out when first met; begun anew when there are many."""

    def __init__(self, algorithm: str = "") -> None:
        super().__init__()
        self._of_words = algorithm

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_STEMS:
            self.clear()
        plain = word if word.isascii() else _LIGATURE.sub(lambda each: _LIGATURES[each[0]], word)
        found = self[word] = _snowball.stem(plain, self._of_words or _algorithm(plain))
        return found


_MOST_STEMS = 1 << 17
_stems = _Stems()
_stems_of: dict[str, _Stems] = {}


def stem(word: str) -> str:
    """The Snowball stem of a folded, lower-cased word, by its script; English for Latin letters."""
    return _stems[word]


def stems(text: str) -> list[str]:
    """The stems of the words of `text` that are not stop words, in order, then `other_stems`."""
    words = [token for token in tokens(text) if token.word not in STOP_WORDS]
    return stem_words([token.word for token in words]) + other_stems(text, words)


def own_stems(text: str, words: Sequence[Token]) -> list[str]:
    """The stems of `words`, tokens of `text`, in the language that `text` is in."""
    language = language_of(text)
    if language is not None and language.accents:
        return [lower(composed(text[word.start : word.end])) for word in words]
    plain = [word.word for word in words]
    if language is not None and language.prefix:
        return [word[: language.prefix] for word in plain]
    if language is None or not language.stemmer:
        return stem_words(plain)
    known = _stems_of.setdefault(language.stemmer, _Stems(language.stemmer))
    return list(map(known.__getitem__, plain))


def other_stems(text: str, words: Sequence[Token]) -> list[str]:
    """Those of `own_stems` that are not what `stem` gives; none for English.

    A passage is found by both: by a question in its language and by one whose language nothing
    tells, as a name alone.
    """
    if language_of(text) is None:
        return []
    pairs = zip(own_stems(text, words), words, strict=True)
    return [own for own, word in pairs if own != stem(word.word)]


def stems_in_parts(text: str) -> list[str]:
    """The stems of `text`, then those of the parts of the identifiers in it."""
    return stems(f"{text} {' '.join(split_identifier(text))}")


def stem_words(words: list[str]) -> list[str]:
    """The stem of each word, in order."""
    return list(map(_stems.__getitem__, words))


def split_identifier(name: str) -> list[str]:
    """The lower-cased parts of an identifier: `HTTPServer_v2` gives http, server, v, 2."""
    return [part.lower() for part in _HUMP.findall(fold(name))]


def looks_like_identifier(word: str) -> bool:
    """Whether `word` can only be code: an underscore, inner capitals, a call, dotted names."""
    if not _IDENTIFIER.fullmatch(word):
        return False
    bare = word.removesuffix("()")
    return (
        word != bare
        or "_" in bare.strip("_")
        or any(mark in bare for mark in (".", "::", "->", "#"))
        or re.search(r"[a-z][A-Z]", bare) is not None
        or re.search(r"[A-Za-z]\d+[A-Za-z]", bare) is not None
    )


@lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """What a name is compared by: folded, lower-cased, single spaces, bare at its edges."""
    key = _SPACE.sub(" ", fold(composed(name)).lower()).strip()
    return _EDGE.sub("", key) or key


def natural_key(text: str) -> list[str | int]:
    """What a text is sorted by with its numbers as numbers: the second stands before the tenth."""
    return [int(part) if i % 2 else part for i, part in enumerate(_DIGITS.split(text))]


def denies(text: str) -> bool:
    """Whether `text` denies something."""
    return _DENIAL.search(text) is not None


def sentences(text: str) -> list[tuple[int, int]]:
    """The character spans of the sentences of `text`, in order, without outer white space."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        end = match.start() + (text[match.start()] != "\n")
        if _is_shortened(text, max(start, end - 8), end):
            continue
        _add_span(spans, text, start, end)
        start = match.end()
    _add_span(spans, text, start, len(text))
    return spans


def _is_shortened(text: str, start: int, end: int) -> bool:
    """Whether what ends there is an abbreviation; "No." is one before a number."""
    found = _ABBREVIATION.search(text, start, end)
    return found is not None and (found[0] != "No." or text[end : end + 2].strip().isdigit())


def _add_span(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append((start, end))


def excerpt(text: str, *, limit: int = 240) -> str:
    """The beginning of `text` on one line, at most `limit` characters, cut at a word."""
    flat = _SPACE.sub(" ", text).strip()
    if len(flat) <= limit:
        return flat
    return flat[: limit - 1].rsplit(" ", 1)[0].rstrip() + "…"
