"""The names that a question may hold: spans by rule, and names as they are written."""

import re
from collections.abc import Sequence

from quipu.records.mentions import names_in
from quipu.text import STOP_WORDS, Token, fold, looks_like_identifier, name_key, tokens

__all__ = ["capitals_tell", "identifiers_of", "runs_of", "surfaces_of", "written_names"]

_WORDS_OF_NAME = 6
_WORDS_OF_TITLE = 12
_WORDS_OF_QUOTED_NAME = 4
_HEADLINE = 0.7
"""Share of words with capitals from which on capitals tell nothing."""
_PUNCTUATION = ".,;:!?\"'()[]{}<>`“”‘’"
_EDGE = " \t\n?!,;:`'\""
_INSIDE_BEFORE = re.compile(r"(?:_|\w[./:#])$")
_INSIDE_AFTER = re.compile(r"_|[./:#]\w")
# What stands between two marks of one kind; a mark inside a word is an apostrophe.
_QUOTED = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|`([^`\n]{2,200})`|«([^»\n]{2,200})»"
    r"|(?<!\w)'([^'\n]{2,200})'(?!\w)|‘([^’\n]{2,200})’(?!\w)"
)
_WORDLIKE = re.compile(r"@?[\w$][\w$./:@-]*(?:\(\))?")
_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]*(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z0-9][\w'’-]*)*")


def runs_of(text: str, words: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Runs that may be a name or a title; function words at their edges only where all of the
    run is written with capitals ("What Will You Do")."""
    capital = [text[word.start].isupper() for word in words]
    plain = [word.word in STOP_WORDS for word in words]
    found: list[tuple[int, int, str]] = []
    for first in range(len(words)):
        for last in range(min(len(words), first + _WORDS_OF_TITLE), first, -1):
            if last - first == 1 and (plain[first] or len(words[first].word) < 2):
                continue
            if (plain[first] or plain[last - 1]) and not all(capital[first:last]):
                continue
            if not _stands_alone(text, words[first].start, words[last - 1].end):
                continue
            found.append((first, last, " ".join(word.word for word in words[first:last])))
    return found


def surfaces_of(text: str, words: Sequence[Token]) -> list[str]:
    """Keys of word runs as written (inner punctuation kept), and of blank-separated pieces."""
    found: dict[str, None] = {}
    for piece in text.split():
        bare = piece.strip(_PUNCTUATION)
        if len(bare) > 1 and name_key(bare) not in STOP_WORDS:
            found[name_key(bare)] = None
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + _WORDS_OF_NAME) + 1):
            start, end = words[first].start, words[last - 1].end
            if _may_name(text, words[first:last]) and _stands_alone(text, start, end):
                found[name_key(text[start:end])] = None
    return list(found)


def _may_name(text: str, run: Sequence[Token]) -> bool:
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


def capitals_tell(text: str, words: Sequence[Token]) -> bool:
    """Whether capitals set names apart: some content words have one, not nearly all."""
    capital = [text[w.start].isupper() for w in words[1:] if w.word not in STOP_WORDS]
    return any(capital) and sum(capital) <= _HEADLINE * len(capital)


def identifiers_of(question: str) -> tuple[str, ...]:
    """The identifiers that a question consists of; none where it says anything else."""
    words = [word.strip(_EDGE) for word in question.split()]
    words = [word for word in words if word]
    return tuple(words) if words and all(map(looks_like_identifier, words)) else ()


def written_names(text: str) -> tuple[str, ...]:
    """What `text` names, as it is written: what is quoted, identifiers, paths, capitals."""
    found = [said for said in _quoted(text) if len(said.split()) <= _WORDS_OF_QUOTED_NAME]
    text = _QUOTED.sub(_without_messages, text)
    for match in _WORDLIKE.finditer(text):
        word = match.group().rstrip(".:-/")
        if looks_like_identifier(word) or "/" in word or word.startswith("@"):
            found.append(word)
    found += names_in(text)
    for match in _CAPITALISED.finditer(text):
        name = match.group()
        words = [t.word for t in tokens(name)]
        at_start = not text[: match.start()].strip()
        if at_start and (words[0] in STOP_WORDS or len(words) == 1):
            name = name.partition(" ")[2]
        if any(t.word not in STOP_WORDS for t in tokens(name)):
            found.append(name)
    kept = [
        n for n in dict.fromkeys(found) if not any(n != o and fold(n) in fold(o) for o in found)
    ]
    return tuple(kept)


def _quoted(text: str) -> list[str]:
    return [match[match.lastindex or 0].strip() for match in _QUOTED.finditer(text)]


def _without_messages(match: re.Match[str]) -> str:
    """What is quoted, where it may be a name; blank where it is a message of several words."""
    said = match[match.lastindex or 0]
    return match.group() if len(said.split()) <= _WORDS_OF_QUOTED_NAME else " "
