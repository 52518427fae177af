"""A question, read once: its words, stems and the names it may contain."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quipu.records.mentions import find_mentions
from quipu.text import STOP_WORDS, Token, fold, name_key, split_identifier, stem_words, tokens

__all__ = ["Question", "read_question", "takes_yes_or_no", "versions_in"]

_LONGEST_NAME = 6
_LONGEST_TITLE = 12
_HEADLINE = 0.7
_PUNCTUATION = ".,;:!?\"'()[]{}<>`“”‘’"
_INSIDE_BEFORE = re.compile(r"(?:_|\w[./:#])$")
_INSIDE_AFTER = re.compile(r"_|[./:#]\w")
# What every question about code says and no code answers by.
_CODE_NOISE = frozenset("python javascript java rust golang code function method way".split())


_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+(?:-[a-z]+[\w.]*|[a-z]+\d*)?)(?![\w]|\.\d)")
_CHANGED = (
    r"\b(?:add|remov|introduc|deprecat|dropp|renam|chang|replac|delet|releas|support|land|bump"
    r"|updat|upgrad)\w*"
)
_OF_RELEASES = re.compile(
    r"\b(?:which|what|each|every|latest|last|next|first) (?:[\w.-]+ ){0,2}?(?:version|release)s?\b"
    rf"|\bwhen (?:was|were|did|does|will|is|are|has)\b[^.?!]*{_CHANGED}|\bsince when\b"
    r"|\bwhat'?s new\b|\bbreaking changes?\b|\bchange ?logs?\b|\brelease notes?\b"
    r"|\bupgrad(?:e|es|ed|ing)\b"
    r"|\b(?:in|to|from|since|before|after|of|with) (?:[a-z][\w-]* ){0,2}?v?\d+(?:\.\d+)+",
    re.IGNORECASE,
)
# What somebody wants to do: "how does it work?" asks for another thing.
_OF_DOING = re.compile(
    r"\bhow (?:(?:do|can|should|could|would|may|might|must) (?:I|we|you|one)|to)\b", re.IGNORECASE
)

_BEGINS_AT_ANY_TIME = re.compile(
    r"\W*(?:(?:and|but|so|then|well|hey|ok)\b\W*)*(?:do|does|did|is|are|am|was|were|has|have|had|will"
    r"|would|can|could|should|shall|may|might|must)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b(?! not\b)", re.IGNORECASE)
"""Asks which of two."""
_INDIRECT = re.compile(r"\byou (?:tell|show|remind|know|remember|recall|say)\b", re.IGNORECASE)
"""Asks for what somebody is to tell: "can you tell me where …"."""


@dataclass(frozen=True, slots=True)
class Question:
    """What ranking needs of a question's text.

    `stems` are the distinct stems of its content words, `content` those words, `content_stems`
    the place of each one's stem in `stems`; `stem_parts` the stems of the parts of each word
    written as an identifier ("HTTPServer"), in the order of `stems`. `names` are the keys of
    names found by rule, in order; `runs` every run of up to twelve words that does not begin or
    end with a stop word, as (start, end, text), longest first at each start; `surfaces` the
    folded spans an entity's name may equal. `capitals_tell` is false where nearly every word has
    a capital, as in a headline, or none has. `versions` are the versions it names ("5.0.1"), and
    `of_releases` says that it is about what some version brought, changed or took away, `of_doing`
    that it asks how one does something.
    """

    text: str
    words: frozenset[str]
    stems: tuple[str, ...]
    content: tuple[str, ...]
    content_stems: tuple[int, ...]
    stem_parts: tuple[tuple[str, ...], ...]
    code_stems: tuple[str, ...]
    names: tuple[str, ...]
    runs: tuple[tuple[int, int, str], ...]
    surfaces: tuple[str, ...]
    capitals_tell: bool
    versions: tuple[str, ...]
    of_releases: bool
    of_doing: bool


@lru_cache(maxsize=256)
def read_question(text: str) -> Question:
    """`text` as a question; the same text gives the same object while it is remembered."""
    words = [word for word in tokens(text) if word.word]
    content = tuple(dict.fromkeys(w.word for w in words if w.word not in STOP_WORDS))
    word_stems = stem_words(list(content))
    stems = tuple(dict.fromkeys(word_stems))
    place = {stem: i for i, stem in enumerate(stems)}
    return Question(
        text=text,
        words=frozenset(word.word for word in words),
        stems=stems,
        content=content,
        content_stems=tuple(place[stem] for stem in word_stems),
        stem_parts=_stem_parts(text, words, stems),
        code_stems=_code_stems(text),
        names=tuple(dict.fromkeys(mention.key for mention in find_mentions(text))),
        runs=tuple(_runs(text, words)),
        surfaces=tuple(_surfaces(text, words)),
        capitals_tell=_capitals_tell(text, words),
        versions=versions_in(text),
        of_releases=_OF_RELEASES.search(text) is not None,
        of_doing=_OF_DOING.search(text) is not None,
    )


def versions_in(text: str) -> tuple[str, ...]:
    """The versions that `text` names, "5.0.1" of "v5.0.1", in order; one number alone is none."""
    return tuple(dict.fromkeys(match[1] for match in _VERSION.finditer(text)))


def _stem_parts(
    text: str, words: list[Token], stems: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """For each stem, the stems that code is indexed by; the stem itself where it is no
    identifier."""
    parts: dict[str, tuple[str, ...]] = {}
    for word in words:
        split = split_identifier(text[word.start : word.end])
        if len(split) > 1 and "'" not in text[word.start : word.end]:
            parts.setdefault(stem_words([word.word])[0], tuple(stem_words(split)))
    return tuple(parts.get(stem, (stem,)) for stem in stems)


def _code_stems(text: str) -> tuple[str, ...]:
    parts = [
        part
        for word in fold(text).split()
        for part in split_identifier(word)
        if part not in STOP_WORDS
    ]
    telling = [part for part in parts if part not in _CODE_NOISE] or parts
    return tuple(dict.fromkeys(stem_words(telling)))


def _runs(text: str, words: list[Token]) -> list[tuple[int, int, str]]:
    """Runs that may be a name or a title; function words at their edges only where all of the
    run is written with capitals ("What Will You Do")."""
    capital = [text[word.start].isupper() for word in words]
    plain = [word.word in STOP_WORDS for word in words]
    found: list[tuple[int, int, str]] = []
    for first in range(len(words)):
        for last in range(min(len(words), first + _LONGEST_TITLE), first, -1):
            if last - first == 1 and (plain[first] or len(words[first].word) < 2):
                continue
            if (plain[first] or plain[last - 1]) and not all(capital[first:last]):
                continue
            if not _stands_alone(text, words[first].start, words[last - 1].end):
                continue
            found.append((first, last, " ".join(word.word for word in words[first:last])))
    return found


def _surfaces(text: str, words: list[Token]) -> list[str]:
    """Keys of word runs as written (inner punctuation kept), and of blank-separated pieces."""
    found: dict[str, None] = {}
    for piece in text.split():
        bare = piece.strip(_PUNCTUATION)
        if len(bare) > 1 and name_key(bare) not in STOP_WORDS:
            found[name_key(bare)] = None
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + _LONGEST_NAME) + 1):
            start, end = words[first].start, words[last - 1].end
            if _may_name(text, words[first:last]) and _stands_alone(text, start, end):
                found[name_key(text[start:end])] = None
    return list(found)


def _may_name(text: str, run: list[Token]) -> bool:
    """Whether a run of words can be a record's name: function words stand at its edges only if
    all of it has capitals."""
    if len(run) == 1:
        return run[0].word not in STOP_WORDS and len(run[0].word) > 1
    if STOP_WORDS.isdisjoint((run[0].word, run[-1].word)):
        return True
    return all(text[word.start].isupper() for word in run)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a run is not a piece of a longer identifier or path (`read` of `read_file`)."""
    return not (
        _INSIDE_BEFORE.search(text, max(0, start - 2), start) or _INSIDE_AFTER.match(text, end)
    )


def _capitals_tell(text: str, words: list[Token]) -> bool:
    """Whether capitals set names apart: some content words have one, not nearly all."""
    capital = [text[w.start].isupper() for w in words[1:] if w.word not in STOP_WORDS]
    return any(capital) and sum(capital) <= _HEADLINE * len(capital)


def takes_yes_or_no(question: str) -> bool:
    """Whether a question is answered by yes or no, whatever time it asks about."""
    begins = _BEGINS_AT_ANY_TIME.match(question) is not None
    return begins and not _OR.search(question) and not _INDIRECT.search(question)
