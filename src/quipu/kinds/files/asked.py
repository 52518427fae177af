"""What a question asks of the records of code and of manifests: a row of `asked.toml`, and names.

A question is one of these only when all of it says so: a word that is neither of the row nor a name
("… when the server is down") makes it another question, which the records do not answer.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from quipu.question import Question
from quipu.tables import read_table
from quipu.text import fold, looks_like_identifier, name_key, stem

__all__ = ["AskedName", "Aspect", "aspects_of", "table"]

_LONGEST = 40
"""Words of a question that is read."""
_EDGES = "`'\"“”‘’,;?!()[]{}<>…"
_CALL = re.compile(r"\((?:\.{2,3}|…)?\)$")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[-+.]?[a-z]+[\w.]*)?", re.IGNORECASE)


class AskedName(NamedTuple):
    """A name in a question as it is written, the words beside it, and whether what follows it is
    of it: `main's timeout`."""

    text: str
    before: str
    after: str
    owns: bool = False


class Aspect(NamedTuple):
    """What is asked: a row of the table, the names it is asked of, in order, and whether the first
    of them does it ("what does X override?") or has it done to it ("what overrides X?")."""

    key: str
    names: tuple[AskedName, ...]
    words: frozenset[str]
    does: bool

    @property
    def name(self) -> str:
        """The one name it is asked of; "" where there is none."""
        return self.names[0].text if self.names else ""


class _Row(NamedTuple):
    key: str
    asks: frozenset[str]
    also: frozenset[str]


class _Word(NamedTuple):
    text: str
    stem: str
    is_name: bool
    owns: bool


def aspects_of(question: Question, subject: str) -> Iterator[Aspect]:
    """Each row of `subject` ("code" or "manifest") that asks for all that `question` does."""
    words = list(_words(question.text))
    if len(words) > _LONGEST:
        return
    stems = {word.stem for word in words if not word.is_name}
    for row in _rows(subject):
        if row.asks & stems and (aspect := _read(row, words, subject)) is not None:
            yield aspect


def _read(row: _Row, words: list[_Word], subject: str) -> Aspect | None:
    known = row.asks | row.also | _always(subject)
    at = next(n for n, word in enumerate(words) if word.stem in row.asks and not word.is_name)
    of_names = [n for n, word in enumerate(words) if word.is_name or word.stem not in known]
    names: list[AskedName] = []
    last = -1  # the place of the word that the last name ends with
    for n in of_names:
        word = words[n]
        before, after = (words[k].stem if 0 <= k < len(words) else "" for k in (n - 1, n + 1))
        if names and last == n - 1 and not words[last].owns:
            names[-1] = AskedName(
                f"{names[-1].text} {word.text}", names[-1].before, after, word.owns
            )
        else:
            names.append(AskedName(word.text, before, after, word.owns))
        last = n
    if len(names) > 2:
        return None
    does = bool(names) and (of_names[0] < at or names[0].before in _set("separates"))
    return Aspect(row.key, tuple(names), frozenset(word.stem for word in words), does)


def _words(question: str) -> Iterator[_Word]:
    for written in fold(question).split():
        bare = written.strip(_EDGES).rstrip(".:")
        owns = bare.endswith("'s") and bare.lower() not in {"what's", "who's", "where's", "it's"}
        bare = bare.removesuffix("'s") if owns or "'" in bare else bare
        if not bare:
            continue
        called = _CALL.search(written.strip("`'\",;?!.")) is not None
        is_name = called or written[0] == "`" or bare.startswith("--") or _is_code(bare)
        yield _Word(bare, stem(name_key(bare)), is_name, owns)


def _is_code(word: str) -> bool:
    return looks_like_identifier(word) and name_key(word) != "node.js"


@cache
def _rows(subject: str) -> tuple[_Row, ...]:
    return tuple(
        _Row(key, _stems(row["asks"]), _stems(row.get("also", "")))
        for key, row in table()[subject].items()
    )


@cache
def _always(subject: str) -> frozenset[str]:
    words = [table()[key] for key in ("may_stand", "separates", "itself")]
    return _stems(" ".join([*words, table()["kinds"][subject]]))


@cache
def _set(key: str) -> frozenset[str]:
    return _stems(table()[key])


@cache
def table() -> dict[str, Any]:
    """Return `asked.toml`."""
    return read_table("quipu.kinds.files", "asked.toml")


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(name_key(word)) for word in words.split())
