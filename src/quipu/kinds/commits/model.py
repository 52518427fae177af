"""A commit as git tells it, and the words of its message and of its paths: pure rules.

What tells one change from another in a message is its identifiers, so they are kept whole beside
their parts; trailers, links, hashes and numbers of issues name other records and are no words.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from quipu.patterns import late
from quipu.text import STOP_WORDS, fold, split_identifier, stem

__all__ = [
    "CommitCitation",
    "CommitInput",
    "citations_of",
    "file_terms",
    "message_terms",
    "paths_in",
    "title_of",
    "trailers_of",
    "without_trailers",
    "words_of",
]

CitationType: TypeAlias = Literal["FIXES", "REVERTS", "FOLLOWS_UP", "REFERENCES"]

_FULL = 40
_NEAR = 160
_LONGEST_WORD = 100
_TRAILER = late(
    r"^[ \t]*(?:(?:[A-Za-z]+-)+by|cc|change-id|link|closes?|fix(?:es)?|bug|refs?|resolves?|issue|"
    r"git-svn-id|cherry[- ]picked from)\b[ \t]*(?::|#|https?://).*$",
    re.IGNORECASE | re.MULTILINE,
)
_DROPPED = late(r"\bhttps?://\S+|\b[0-9a-f]{7,64}\b(?<![g-z])|#\d+")
_HASH = late(r"(?<![0-9A-Za-z/_.-])[0-9a-f]{7,64}(?![0-9A-Za-z_-])")
_SPACE = late(r"\s+")
_LAST_STOP = late(r"^.*[.;!?] (?=[A-Z])")
_PURPOSES: dict[CitationType, re.Pattern[str]] = {
    "REVERTS": late(r"\b(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)? out)\b", re.IGNORECASE),
    "FOLLOWS_UP": late(
        r"\b(?:follow(?:s|ed|ing)?[- ]?up|follow(?:s|ing)|amends?|continu\w+|completes?)\b",
        re.IGNORECASE,
    ),
    "FIXES": late(
        r"\b(?:fix(?:es|ed|ing)?|regress\w*|introduc\w*|br(?:eaks?|oke\w*)|caus\w+|bug\w*|since|"
        r"wrong\w*|mistake\w*|accident\w*|because of|due to|bisect\w*|fault\w*|added in|"
        r"started (?:in|with))\b",
        re.IGNORECASE,
    ),
}
_PLAIN: CitationType = "REFERENCES"
_PLAINEST: tuple[CitationType, ...] = ("REVERTS", "FIXES", "FOLLOWS_UP", "REFERENCES")
_KEY_VALUE = late(r"^(?P<key>[A-Za-z][A-Za-z0-9-]{0,63}): *(?P<value>\S.{0,1000})$", re.MULTILINE)
_WORD = late(r"[^\W_](?:[\w]*[^\W_])?|_[\w]+")
_PIECE = late(r"[\w./+-]+")
_INNER = late(r"_|[a-z][A-Z]|[A-Z][A-Z]+[a-z]|[A-Za-z]\d|\d[A-Za-z]")


class CommitInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One commit. `time` (any ISO date) is when it was committed; `repository` tells the
    histories of one memory apart. `files` are the paths it touched, from the repository's root;
    `parents` the hashes of the commits before it."""

    sha: str
    message: str
    time: str
    author: str = ""
    email: str = ""
    files: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    repository: str = ""


def title_of(message: str) -> str:
    """The first line of a message that is not blank."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")


class CommitCitation(NamedTuple):
    """That a message cites another commit by (the beginning of) its hash, and what for."""

    type: CitationType
    hash: str


def citations_of(message: str) -> list[CommitCitation]:
    """The commits that a message cites and what for, in order; the plainest purpose of each."""
    found: dict[str, CommitCitation] = {}
    for match in _HASH.finditer(message):
        if not _may_be_hash(match[0]):
            continue
        before = _SPACE.sub(" ", message[max(match.start() - _NEAR, 0) : match.start()])
        cited = CommitCitation(_said_before(_LAST_STOP.sub("", before)), match[0])
        known = found.get(cited.hash)
        if known is None or _PLAINEST.index(cited.type) < _PLAINEST.index(known.type):
            found[cited.hash] = cited
    return list(found.values())


def trailers_of(message: str) -> dict[str, list[str]]:
    """The `Key: value` lines that end a message, by key as it is written, in order."""
    last = message.rstrip().rpartition("\n\n")[2] if "\n\n" in message.strip() else ""
    found: dict[str, list[str]] = {}
    for match in _KEY_VALUE.finditer(last):
        found.setdefault(match["key"], []).append(match["value"].strip())
    return found


def _said_before(words: str) -> CitationType:
    """What the nearest telling word before a hash says."""
    end, nearest = -1, _PLAIN
    for kind, rule in _PURPOSES.items():
        for match in rule.finditer(words):
            if match.end() > end:
                end, nearest = match.end(), kind
    return nearest


def _may_be_hash(word: str) -> bool:
    """Seven digits in a row are a number, not a hash."""
    return not word.isdecimal() or len(word) == _FULL


def without_trailers(message: str) -> str:
    """Return a message without the lines that only name people, issues and other records."""
    return _TRAILER.sub("", message)


def words_of(message: str) -> str:
    """Return a message without trailer lines, links, hashes and numbers of issues."""
    return _DROPPED.sub(" ", without_trailers(message))


def message_terms(text: str) -> list[str]:
    """The terms of a message that `words_of` has cleaned: an identifier gives `=whole` and the
    stems of its parts, any other word its stem; function words are left out."""
    return list(chain.from_iterable(map(_terms, _WORD.findall(fold(text)))))


@lru_cache(maxsize=65536)
def _terms(word: str) -> tuple[str, ...]:
    if len(word) > _LONGEST_WORD:
        return ()
    lowered = word.lower()
    if _INNER.search(word):
        parts = [stem(part) for part in split_identifier(word) if part not in STOP_WORDS]
        return (f"={lowered.strip('_')}", *parts)
    return () if lowered in STOP_WORDS else (stem(lowered),)


def file_terms(paths: Iterable[str]) -> list[str]:
    """The terms of paths: for each component `/component`, the stems of its parts and, of the
    last, `=name` without its extension."""
    return list(chain.from_iterable(map(_path_terms, paths)))


@lru_cache(maxsize=65536)
def _path_terms(path: str) -> tuple[str, ...]:
    return tuple(_of_path(fold(path)))


def _of_path(path: str) -> Iterator[str]:
    components = [part for part in path.split("/") if part]
    for component in components:
        yield f"/{component.lower()}"
        yield from map(stem, split_identifier(component))
    if components:
        yield f"={_bare_name(components[-1]).lower()}"


def _bare_name(name: str) -> str:
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name


def paths_in(text: str) -> list[str]:
    """The words of a text that are written as paths or names of files (`lib/url.c`)."""
    pieces = (match[0].rstrip("./+-") for match in _PIECE.finditer(text))
    return [piece for piece in pieces if "/" in piece or "." in piece.lstrip(".")]
