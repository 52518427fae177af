"""The syntax of notes that link by name (Obsidian, basic-memory, Logseq): `[[Note#Heading|shown]]`
and what is written around it. Everything here works on one line or one value."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from quipu.patterns import late
from quipu.records.record import Value

__all__ = [
    "CONTENTS_PAGES",
    "WikiLink",
    "note_names",
    "plain_links",
    "quoted_links",
    "wiki_links",
    "wiki_values",
]

CONTENTS_PAGES = frozenset({"readme", "index", "template"})
"""Pages that are not called by their file's name."""

_LINK = late(
    r"(?P<embed>!?)\[\[(?P<note>[^\[\]|#^\n\\]*)(?P<part>[#^][^\[\]|\n\\]*)?"
    r"(?:\\?\|(?P<shown>[^\[\]\n]*))?\]\](?!\()"
)
_MEMORY = "memory://"
_BARE = late(
    r"^(?P<head>[ \t]*(?:-[ \t]+|[\w .-]{1,100}:[ \t]+))"
    r"(?P<links>\[\[[^\[\]\n]{1,300}\]\](?:[ \t]*,[ \t]*\[\[[^\[\]\n]{1,300}\]\])*)[ \t]*$",
    re.MULTILINE,
)
_DAY = late(r"(\d{4})[_-](\d\d)[_-](\d\d)")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class WikiLink(NamedTuple):
    """A link by name. `note` is a name, an alias, a path or a permalink, without the heading or
    block that is meant; `shown` is what a reader sees."""

    note: str
    shown: str


def wiki_links(line: str) -> Iterator[WikiLink]:
    """The links and embeds of a line, but those to the note itself (`[[#Heading]]`)."""
    if "[[" not in line:
        return
    for match in _LINK.finditer(line):
        written = match["note"]
        note = written.strip().removeprefix(_MEMORY).strip("/")
        if note and written[0] != " ":  # `[[ -f x ]]` is a test of a shell
            yield WikiLink(note, (match["shown"] or "").strip() or note)


def plain_links(line: str) -> str:
    """A line as it is shown: each link as its alias or its name."""
    if "[[" not in line:
        return line
    return _LINK.sub(lambda m: (m["shown"] or m["note"] or m["part"] or "").strip(" #^"), line)


def wiki_values(value: Value) -> list[str]:
    """The notes that a property names: `[[X]]`, alone or in a list; [] for one that says more."""
    if isinstance(value, list):
        return [note for item in value for note in wiki_values(item)]
    if not isinstance(value, str) or not _LINK.fullmatch(value.strip()):
        return []
    return [link.note for link in wiki_links(value.strip())]


def quoted_links(front_matter: str) -> str:
    """Front matter in which links that stand bare are texts; YAML reads lists in lists there."""

    def quoted(match: re.Match[str]) -> str:
        links = [f"[[{each}]]" for each in re.findall(r"\[\[([^\[\]]+)\]\]", match["links"])]
        texts = ['"' + link.replace("\\", "").replace('"', "'") + '"' for link in links]
        return match["head"] + (texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")

    return _BARE.sub(quoted, front_matter) if "[[" in front_matter else front_matter


def note_names(path: str) -> list[str]:
    """What the note at `path` is called, its own name first: the file's name without its ending,
    Logseq's `a___b` as `a/b`, a journal's day also as Logseq writes it."""
    name = posixpath.basename(path)
    stem = name.rpartition(".")[0] or name
    if "___" in stem or "%" in stem:
        stem = unquote(stem.replace("___", "/"))
    day = _DAY.fullmatch(stem)
    if day is None or not 1 <= int(day[2]) <= len(_MONTHS):
        return [stem]
    ends = {1: "st", 2: "nd", 3: "rd"}
    number = int(day[3])
    end = "th" if number in (11, 12, 13) else ends.get(number % 10, "th")
    as_logseq = f"{_MONTHS[int(day[2]) - 1]} {number}{end}, {day[1]}"
    return list(dict.fromkeys([stem, "-".join(day.groups()), as_logseq]))
