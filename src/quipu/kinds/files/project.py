"""What a project says of itself beside its manifest: the lead of its README; and which licence its
licence file holds, told by the words that each licence begins with.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.answer.quote import units
from quipu.patterns import late
from quipu.records.record import Chunk
from quipu.text import stems, tokens

__all__ = ["LICENCES", "READMES", "lead", "licence_of"]

LICENCES = tuple(
    f"{name}{end}"
    for name in ("license", "licence", "copying", "unlicense")
    for end in ("", ".txt", ".md", ".rst")
)
"""What a licence file is called, as names are compared, the most usual first."""

_LICENCE_HEAD = 4000
_GNU = r"GNU\s+{}GENERAL\s+PUBLIC\s+LICENSE\s+Version\s+{}\b"
# The most telling first: a text may name other licences further down.
_LICENCE_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, late(pattern, re.IGNORECASE))
    for name, pattern in (
        ("Apache-2.0", r"Apache\s+License,?\s+Version\s+2\.0\b"),
        ("AGPL-3.0", _GNU.format(r"AFFERO\s+", "3")),
        ("LGPL-3.0", _GNU.format(r"LESSER\s+", "3")),
        ("LGPL-2.1", _GNU.format(r"LESSER\s+", r"2\.1")),
        ("GPL-3.0", _GNU.format("", "3")),
        ("GPL-2.0", _GNU.format("", "2")),
        ("MPL-2.0", r"Mozilla\s+Public\s+License,?\s+(?:Version\s+|v\.?\s*)?2\.0\b"),
        ("EPL-2.0", r"Eclipse\s+Public\s+License\s*-?\s*v(?:ersion)?\s*2\.0\b"),
        ("BSL-1.0", r"Boost\s+Software\s+License\s*-\s*Version\s+1\.0\b"),
        ("CC0-1.0", r"CC0\s+1\.0\s+Universal\b"),
        ("Unlicense", r"free\s+and\s+unencumbered\s+software\s+released\s+into\s+the\s+public"),
        ("ISC", r"use,\s+copy,\s+modify,\s+and(?:/or)?\s+distribute\s+this\s+software\s+for\s+any"),
        ("MIT", r"free\s+of\s+charge,\s+to\s+any\s+person\s+obtaining\s+a\s+copy"),
        ("BSD-3-Clause", r"source\s+and\s+binary\s+forms(?s:.{1,1500})\bNeither\s+the\s+name"),
        ("BSD-2-Clause", r"Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms"),
    )
)

READMES = tuple(f"readme{end}" for end in (".md", ".rst", ".txt", ".markdown", ".adoc", ""))
"""What a README is called, as names are compared, the most usual first."""
_PASSAGES = 6
_FEWEST_WORDS = 4
_SENTENCES = 2
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>\n]{1,2000}>", re.DOTALL)
_ANCHOR = re.compile(r"<a\b[^<>]{0,1000}>.{0,500}?</a>", re.DOTALL | re.IGNORECASE)
_LINKED = re.compile(r"!?\[[^\]\[]*\](?:\([^()]*\)|\[[^\]]*\])")
_TARGET = re.compile(r"^[ \t]{0,3}\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)
_SHORTCUT = re.compile(r"`[^`\n]*`|\[([^\]\[\n]{1,60})\](?![(\[:])")
_BLANK = re.compile(r"\n\s*\n")
_IS = re.compile(r"\W*(?:\w[\w.@/-]*\W+){1,4}(?:is|are|provides|lets|helps|makes|brings)\b")


def licence_of(text: str) -> str:
    """The SPDX name of the licence that `text` is; "" where it is none that is known."""
    head = text[:_LICENCE_HEAD]
    return next((name for name, pattern in _LICENCE_WORDS if pattern.search(head)), "")


class _Lead(NamedTuple):
    """The sentences that say what a project is, and the passage that they stand in."""

    text: str
    chunk: Chunk


def lead(chunks: Iterable[Chunk], names: Sequence[str]) -> _Lead | None:
    """The first sentences of a README that are prose and no link: the first paragraph that says
    what one of `names` is, or else the first of all. None where there is none."""
    found: list[tuple[bool, _Lead]] = []
    known = {word for name in names for word in stems(name)}
    for chunk in sorted(chunks, key=lambda c: c.position)[:_PASSAGES]:
        for paragraph in _paragraphs(chunk.text):
            said = _IS.match(paragraph[0])
            defines = said is not None and bool(known & set(stems(said.group())))
            text = " ".join(paragraph[:_SENTENCES])
            if defines or not text.endswith(":"):
                found.append((defines, _Lead(re.sub(r"\s*:$", ".", text), chunk)))
    return next((each for defines, each in found if defines), found[0][1] if found else None)


def _paragraphs(text: str) -> list[list[str]]:
    """The sentences of each paragraph that begins with prose; one that leads to a list or to code
    stands alone."""
    bare = _SHORTCUT.sub(_without_brackets, _TARGET.sub("", _HIDDEN.sub("", _ANCHOR.sub("", text))))
    found: list[list[str]] = []
    end = 0
    open_ = False
    for unit in units(bare):
        prose = unit.kind == "sentence"
        leads_on = unit.text.endswith(":")
        if prose and open_ and not leads_on and not _BLANK.search(bare, end, unit.start):
            found[-1].append(unit.text)
        else:
            open_ = prose and _is_prose(bare[unit.start : unit.start + unit.length])
            if open_:
                found.append([unit.text])
                open_ = not leads_on
        end = unit.start + unit.length
    return found


def _without_brackets(shortcut: re.Match[str]) -> str:
    """The words of a link; code as it stands."""
    return shortcut[0] if shortcut[1] is None else shortcut[1]


def _is_prose(sentence: str) -> bool:
    """Whether words are left of it without its links, and the pictures in these."""
    bare = _LINKED.sub("", _LINKED.sub("", sentence))
    left = [token for token in tokens(bare) if token.word.isalpha()]
    return len(left) >= _FEWEST_WORDS
