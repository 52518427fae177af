"""What a project is: the lead of its README, and what its manifest says of it."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.answer.quote import units
from quipu.records.record import Chunk
from quipu.text import stems, tokens

__all__ = ["MANIFESTS", "READMES", "Lead", "lead", "own_name"]

READMES = tuple(f"readme{end}" for end in (".md", ".rst", ".txt", ".markdown", ".adoc", ""))
"""What a README is called, as names are compared, the most usual first."""
MANIFESTS = (
    "pyproject.toml", "package.json", "cargo.toml", "go.mod", "pom.xml", "composer.json",
)  # fmt: skip

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


class Lead(NamedTuple):
    """The sentences that say what a project is, and the passage that they stand in."""

    text: str
    chunk: Chunk


def own_name(name: str) -> str:
    """What people call a package: the last part of its path or coordinates, without a version
    (`github.com/spf13/cobra/v2`: cobra)."""
    parts = [part for part in re.split(r"[/:]", name) if not re.fullmatch(r"v\d+", part)]
    return parts[-1] if parts else name


def lead(chunks: Iterable[Chunk], names: Sequence[str]) -> Lead | None:
    """The first sentences of a README that are prose and no link: the first paragraph that says
    what one of `names` is, or else the first of all. None where there is none."""
    found: list[tuple[bool, Lead]] = []
    known = {word for name in names for word in stems(name)}
    for chunk in sorted(chunks, key=lambda c: c.position)[:_PASSAGES]:
        for paragraph in _paragraphs(chunk.text):
            said = _IS.match(paragraph[0])
            defines = said is not None and bool(known & set(stems(said.group())))
            text = " ".join(paragraph[:_SENTENCES])
            if defines or not text.endswith(":"):
                found.append((defines, Lead(re.sub(r"\s*:$", ".", text), chunk)))
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
