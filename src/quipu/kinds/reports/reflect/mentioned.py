"""What every passage mentions, as arrays of integers: names, and in conversations plain words.

A document is one unit. A session is a unit every `STRETCH` turns: a conversation comes to speak
of one thing after another. Turns name few things and begin with capitals that are no names, so
there the nouns count instead.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index.columns import unpack
from quipu.kinds.reports.model import REPORT
from quipu.ports import Numbers, Planner, Source
from quipu.records.ids import name_id
from quipu.records.record import Chunk
from quipu.text import STOP_WORDS, stem, tokens

__all__ = ["STRETCH", "WORD", "Mentioned", "documents_of", "is_name", "read_mentions"]

WORD = "word:"
"""How the node of a plain word begins; its stem follows."""

_PAGE = 500
STRETCH = 10
_LEFT_OUT = frozenset({REPORT, "commit"})
_PATH = re.compile(r"[/\\]|\.[a-z]{1,4}$|^--|[=<>(){}\[\]]|^self\.|^cls\.")
_LETTERS = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 3
_LONGEST = 60
_NOUN_SHARE = 0.4
# What capitals make of days, months, keywords and the words that documentation is written with.
_NO_NAMES = STOP_WORDS | frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december today yesterday tomorrow true false none
    null self cls str int float bool bytes list dict set tuple type object args kwargs return
    returns raises raise param params note notes todo fixme example examples usage default defaults
    optional import from class def function method value values key keys name names text file files
    path paths line lines string number id ids url http https www com org see also new old first
    last next yes no okay ok hey hi hello thanks thank wow yeah sure great good nice really well
    mit license copyright author authors version changelog readme any all typing valueerror
    typeerror keyerror runtimeerror attributeerror exception error errors warning warnings main
    test tests data info run get put make made let use used using init __init__""".split()
)
# Nouns of small talk, which every conversation has and none is about.
_SMALL_TALK = frozenset(
    """thing things time times day days way lot lots bit week weeks month months year years one
    ones kind sort chance moment minute second hour morning night weekend while stuff something
    anything everything nothing someone anyone everyone people person guy guys good great best
    idea ideas fun place end today yesterday tomorrow tonight last next other same whole part
    picture pic photo photos image thanks plan plans point hand hands life world feeling feelings
    one two three four five six seven eight nine ten hundred talk chat look luck smile face mind
    heart pleasure""".split()
)
_NO_NOUNS = _NO_NAMES | _SMALL_TALK
_SHORTEST_NOUN = 4
_SHORTEST_GERUND = 7
_BEFORE_NOUNS = frozenset(
    """a an the my your his her its our their this these those some any no each every of in for at
    about with from into on new first own local little big few many two three by""".split()
)


class Mentioned(NamedTuple):
    """Names and passages by unit.

    `units` are the ids of nodes, `documents` the document of each; `passages` counts theirs.
    `chunks` int64[c] are passage numbers and `chunk_unit` int32[c] whose they are; `keys` are the
    ids of names and words. `at_chunk` and `at_key` int32[m] pair a place in `chunks` with a place
    in `keys`, a row a mention. `written` are words as they are mostly written. `unit_starts` and
    `mention_starts` say where the passages of a unit and the mentions of a passage begin.
    """

    units: list[str]
    documents: list[str]
    passages: NDArray[np.int64]
    chunks: Numbers
    chunk_unit: NDArray[np.int32]
    keys: list[str]
    at_chunk: NDArray[np.int32]
    at_key: NDArray[np.int32]
    written: dict[str, str]
    unit_starts: Numbers
    mention_starts: Numbers

    def passages_of(self, unit: int) -> range:
        """The places in `chunks` of a unit's passages, which lie together."""
        return range(int(self.unit_starts[unit]), int(self.unit_starts[unit + 1]))

    def keys_in(self, passages: range) -> NDArray[np.int32]:
        """The places in `keys` of what those passages mention, a row a mention."""
        return self.at_key[self.mention_starts[passages.start] : self.mention_starts[passages.stop]]


class _MentionArrays:
    """Arrays that grow while passages are read."""

    def __init__(self) -> None:
        self.units: dict[str, int] = {}
        self.documents: list[str] = []
        self.chunks, self.owners = array("q"), array("i")
        self.at_chunk, self.at_key = array("i"), array("i")
        self.places: dict[str, int] = {}
        self._named: dict[str, bool] = {}

    def passage(self, unit: str, document: str, number: int, keys: Iterable[str]) -> None:
        if unit not in self.units:
            self.units[unit] = len(self.units)
            self.documents.append(document)
        here = len(self.chunks)
        self.chunks.append(number)
        self.owners.append(self.units[unit])
        for key in keys:
            self.at_chunk.append(here)
            self.at_key.append(self.places.setdefault(key, len(self.places)))

    def names(self, blob: bytes) -> Iterator[str]:
        for key in dict.fromkeys(unpack(blob).keys):
            known = self._named.get(key)
            if known is None:
                known = self._named[key] = is_name(key)
            if known:
                yield name_id(key)

    def done(self, written: dict[str, str]) -> Mentioned:
        owners = np.array(self.owners, dtype=np.int32)
        mentions = np.array(self.at_chunk, dtype=np.int32)
        passages = np.bincount(owners, minlength=len(self.units)).astype(np.int64)
        return Mentioned(
            list(self.units),
            self.documents,
            passages,
            np.array(self.chunks, dtype=np.int64),
            owners,
            list(self.places),
            mentions,
            np.array(self.at_key, dtype=np.int32),
            written,
            _starts(passages),
            _starts(np.bincount(mentions, minlength=len(self.chunks))),
        )


def _starts(counts: Numbers) -> Numbers:
    """Where each of several runs of these lengths begins, and the end of the last."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def documents_of(sources: Iterable[Source]) -> dict[str, Source]:
    """The source of each document that can be reported on, by document id: commits are told as
    changes, and reports are not reported on."""
    found: dict[str, Source] = {}
    for source in sources:
        if source.document_id and source.source_type not in _LEFT_OUT:
            known = found.get(source.document_id)
            if known is None or (source.source_type != "links" and known.source_type == "links"):
                found[source.document_id] = source
    return dict(sorted(found.items()))


def is_name(key: str) -> bool:
    """Whether a mention's key can name what a community is about: not a number, a date, a path
    or a word of the trade."""
    bare = key.removesuffix("()")
    return (
        len(bare) <= _LONGEST
        and bare not in _NO_NAMES
        and len(_LETTERS.findall(bare)) >= _LEAST_LETTERS
        and not _PATH.search(bare)
        and not all(word in _NO_NAMES or word.isdigit() for word in bare.split())
    )


def read_mentions(
    planner: Planner, documents: Sequence[str], sessions: frozenset[str]
) -> Mentioned:
    """What every passage of `documents` mentions. Only of `sessions` text is read."""
    reading = _MentionArrays()
    files = [each for each in documents if each not in sessions]
    for document, numbers in _passages(planner, files):
        for number, blob in zip(numbers.tolist(), planner.columns(numbers), strict=True):
            reading.passage(document, document, number, reading.names(blob))
    nouns = _Nouns()
    talks = [each for each in documents if each in sessions]
    for _, numbers in _passages(planner, talks):
        for chunk in planner.chunks(numbers):
            nouns.read(chunk)
    for document, numbers in _passages(planner, talks):
        for number, chunk in zip(numbers.tolist(), planner.chunks(numbers), strict=True):
            unit = f"{document}#{chunk.position // STRETCH}"
            reading.passage(unit, document, number, nouns.of(chunk))
    return reading.done(nouns.written())


def _passages(planner: Planner, documents: Sequence[str]) -> Iterator[tuple[str, Numbers]]:
    for at in range(0, len(documents), _PAGE):
        page = documents[at : at + _PAGE]
        inside = planner.numbers_in(page)
        for document in page:
            if len(inside[document]):
                yield document, inside[document]


class _Nouns:
    """Which words are nouns, told by what stands before them, and how they are written."""

    def __init__(self) -> None:
        self._all: Counter[str] = Counter()
        self._after: Counter[str] = Counter()
        self._forms: dict[str, Counter[str]] = {}
        self._speakers: set[str] = set()

    def read(self, chunk: Chunk) -> None:
        before = ""
        self._speakers.update(t.word for each in chunk.heading_path[1:2] for t in tokens(each))
        for token in tokens(chunk.text):
            word = token.word
            if _may_be_noun(word):
                found = stem(word)
                self._all[found] += 1
                self._after[found] += before in _BEFORE_NOUNS
                self._forms.setdefault(found, Counter())[word] += 1
            before = word

    def of(self, chunk: Chunk) -> Iterator[str]:
        words = (t.word for t in tokens(chunk.text))
        for found in dict.fromkeys(stem(w) for w in words if _may_be_noun(w)):
            if self._is_noun(found):
                yield WORD + found

    def _is_noun(self, found: str) -> bool:
        if self._speakers.intersection(self._forms.get(found, ())):
            return False
        return self._after[found] >= max(_NOUN_SHARE * self._all[found], 2)

    def written(self) -> dict[str, str]:
        return {
            WORD + found: min(forms, key=lambda f: (-forms[f], len(f), f))
            for found, forms in self._forms.items()
        }


def _may_be_noun(word: str) -> bool:
    if len(word) < _SHORTEST_NOUN or not word.isalpha() or word in _NO_NOUNS:
        return False
    if word.endswith("ing"):
        return len(word) >= _SHORTEST_GERUND
    return not word.endswith(("ly", "nt", "ve", "ll", "re"))
