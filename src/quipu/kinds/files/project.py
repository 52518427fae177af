"""What a project says of itself beside its manifest: the lead of its README; and which licence its
licence file holds, told by the words that each licence begins with.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from quipu.limits import HEAD
from quipu.patterns import late
from quipu.records.record import Chunk
from quipu.text import sentences, stems, tokens

__all__ = ["LICENCES", "READMES", "lead", "licence_of"]

LICENCES = tuple(
    f"{name}{end}"
    for name in ("license", "licence", "copying", "unlicense")
    for end in ("", ".txt", ".md", ".rst")
)
"""What a licence file is called, as names are compared, the most usual first."""

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
_IS = re.compile(r"\W*(?:\w[\w.@/-]*\W+){1,4}(?:is|are|provides|lets|helps|makes|brings)\b")
_SHORTCUT = re.compile(r"\[([^\]\[\n]{1,60})\](?![(\[:])")
"""A link whose address stands in another passage."""
_SHOWN = {"text", "code_inline", "softbreak", "hardbreak"}


def licence_of(text: str) -> str:
    """The SPDX name of the licence that `text` is; "" where it is none that is known."""
    head = text[:HEAD]
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
            first, *more = (paragraph[start:end].strip() for start, end in sentences(paragraph))
            said = _IS.match(first)
            defines = said is not None and bool(known & set(stems(said.group())))
            if defines or not first.endswith(":"):
                told = [re.sub(r"\s*:$", ".", first), *(s for s in more if not s.endswith(":"))]
                found.append((defines, _Lead(" ".join(told[:_SENTENCES]), chunk)))
    return next((each for defines, each in found if defines), found[0][1] if found else None)


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of prose at the top level, as they are shown: those with a few words that are
    no link."""
    from markdown_it import MarkdownIt

    for opening, inline in pairwise(MarkdownIt("commonmark").parse(text)):
        if opening.type != "paragraph_open" or opening.level:
            continue
        shown: list[str] = []
        plain = 0
        linked = False
        for part in inline.children or ():
            if part.type.startswith("link_") or re.match(r"</?a\b", part.content):
                linked = part.type == "link_open" or part.content.startswith("<a")
            elif part.type in _SHOWN:
                written = part.content or " "
                shown.append(_SHORTCUT.sub(r"\1", written) if part.type == "text" else written)
                plain += 0 if linked else sum(token.word.isalpha() for token in tokens(written))
        if plain >= _FEWEST_WORDS:
            yield "".join(shown).strip()
