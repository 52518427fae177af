"""A note of a vault (Obsidian, basic-memory, Logseq): Markdown, and what such notes hold besides:
links by name, relations and observations in lists, properties, tags, callouts and comments."""

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import PurePosixPath

from quipu.errors import InvalidInput
from quipu.limits import LONGEST_LINE
from quipu.read.front_matter import key_of, plain
from quipu.read.markdown import read_markdown, relation_said
from quipu.read.prose import title_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Observation, Span
from quipu.records.record import Value
from quipu.records.schema import relation_type
from quipu.records.wiki import CONTENTS_PAGES, plain_links, wiki_links

__all__ = ["read_note"]

_CODE_OR_COMMENT = re.compile(
    r"(?P<fence>^[ \t>]*+(?P<mark>`{3,}+|~{3,}+)[^\n]*\n.*?(?:^[ \t>]*+(?P=mark)|\Z))"
    r"|(?<!`)(?P<ticks>`++)[^`\n]++(?P=ticks)"
    r"|(?P<block>^[ \t]*+%%[ \t]*+$.*?(?:%%|\Z))"
    r"|(?P<inline>(?<!\S)%%(?:(?!\n[ \t]*+\n).)*?%%)",
    re.MULTILINE | re.DOTALL,
)
_SPAN = re.compile(r"(?<!`)(`++)[^`\n]++\1")
_NOTE = r"!?\[\[[^\[\]\n]{1,300}\]\]"
_RELATION = re.compile(
    rf"\s*[-*+]\s+(?:\"(?P<quoted>[^\"]{{1,60}})\"|(?P<words>[^\W\d_][\w' /-]{{0,60}}?))\s*:{{0,2}}"
    rf"\s*(?P<notes>{_NOTE}(?:\s*,\s*{_NOTE})*)\s*(?:\([^()]*\))?(?:\s+#[\w/-]+)*\s*(?:\^[\w-]+)?"
)
_FIELD = re.compile(r"\s*(?:[-*+]\s+)?[\[(]?(?P<words>[^\W\d_][\w /-]{0,60}?)::\s+(?P<notes>.+)")
_MOST_WORDS = 4
_NO_RELATION = frozenset("a an the and or see also cf my our this that these".split())
_OBSERVATION = re.compile(r"\s*[-*+]\s+\[(?P<category>[^\[\]]{2,40})\]\s+(?P<content>[^\s(:].*)")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_TAG = re.compile(r"(?<![\w#&/])#(?:\[\[([^\[\]\n]+)\]\]|(?=[\d/_-]*[^\W\d_])([\w/-]+))")
_LAST_TAGS = re.compile(r"(?:\s+#[\w/-]+)+\s*$")
_BLOCK_ID = re.compile(r"\s\^[\w-]+\s*$")
_BLOCK_KEY = re.compile(r"\s*(?:[-*+]\s+)?id::\s+([0-9a-fA-F-]{36})\s*$")
_BLOCK_USE = re.compile(r"\(\(([0-9a-fA-F-]{36})\)\)")
_PROPERTY = re.compile(r"(?:- |  )?([A-Za-z][\w.-]*):: ?(.*)")
_CALLOUT = re.compile(r"\s*>\s*\[![\w-]+\][+-]?")
_OBSERVED_UNDER = "observations"


def read_note(text: str, path: str) -> Reading:
    """The note in `text`, without its comments; its title is "" where its file's name is it."""
    text = _without_comments(text)
    reading = read_markdown(text)
    reading.title = _title(reading, path)
    lines = text.split("\n")
    start = reading.spans[0].end_line if reading.properties else 0
    _take_properties(reading, lines[start:])
    code = _code_lines(reading, lines)
    shown = [
        "" if number in code or number <= start else _SPAN.sub("", line)
        for number, line in enumerate(lines, 1)
    ]
    reading.spans += _callouts(shown)
    reading.links += _links(shown)
    reading.observations = list(_observations(shown, reading))
    if tags := _tags(shown, reading.properties.get("tags")):
        reading.properties["tags"] = [*tags]
    if blocks := [m[1].lower() for line in shown if (m := _BLOCK_KEY.fullmatch(line))]:
        reading.properties["block_ids"] = [*blocks]
    return reading


def _without_comments(text: str) -> str:
    """`text` without `%%what is private%%`; every line stays where it is."""
    if "%%" not in text:
        return text

    def kept(match: re.Match[str]) -> str:
        is_comment = match["block"] is not None or match["inline"] is not None
        return "\n" * match[0].count("\n") if is_comment else match[0]

    return _CODE_OR_COMMENT.sub(kept, text)


def _title(reading: Reading, path: str) -> str:
    """The first heading of the first level, else one that stands alone above all others, else
    nothing: a list of sections has the name of its file. A README is called as it begins."""
    headings = reading.headings
    if not headings or any(level == 1 for _, level, _ in headings):
        return title_of(headings)
    top = min(level for _, level, _ in headings)
    alone = [level for _, level, _ in headings].count(top) == 1 and headings[0][1] == top
    if alone or PurePosixPath(path).stem.lower() in CONTENTS_PAGES:
        return headings[0][2]
    return ""


def _take_properties(reading: Reading, lines: list[str]) -> None:
    """Logseq's properties of a page: `key:: value` on the first lines."""
    for line in takewhile(_PROPERTY.fullmatch, lines):
        match = _PROPERTY.fullmatch(line)
        assert match is not None
        value = match[2].strip()
        parts = [part.strip() for part in value.split(",") if part.strip()]
        several = len(parts) > 1 or key_of(match[1]) in ("alias", "tags")
        reading.properties.setdefault(key_of(match[1]), plain(parts if several else value))


def _code_lines(reading: Reading, lines: list[str]) -> set[int]:
    """The lines of fences and of what is indented as code."""
    numbers: set[int] = set()
    for span in reading.spans:
        first = lines[span.start_line - 1]
        bare = first.lstrip(" \t>")
        indented = first.startswith(("    ", "\t")) and not bare.startswith(("|", "-", "*", "+"))
        if indented or bare.lstrip("-*+ \t").startswith(("```", "~~~")):
            numbers.update(range(span.start_line, span.end_line + 1))
    return numbers


def _callouts(lines: list[str]) -> Iterator[Span]:
    """Callouts (`> [!note]`), each whole."""
    number = 0
    while number < len(lines):
        start = number
        number += 1
        if _CALLOUT.match(lines[start]):
            while number < len(lines) and lines[number].lstrip().startswith(">"):
                number += 1
            yield Span(start + 1, number)


def _links(lines: list[str]) -> Iterator[Link]:
    for number, line in enumerate(lines, 1):
        for block in _BLOCK_USE.findall(line) if "((" in line else ():
            yield Link(f"(({block.lower()}))", number, wiki=True)
        if "[[" not in line:
            continue
        type_, written = _relation(line)
        for link in wiki_links(_TAG.sub(" ", line)):
            yield Link(link.note, number, type_, wiki=True, as_written=written)


def _relation(line: str) -> tuple[str, str]:
    """How a line relates its links: its type, and the words it is written with."""
    if len(line) <= LONGEST_LINE:
        match = _RELATION.fullmatch(line) or _FIELD.fullmatch(line)
        words = match and (match.groupdict().get("quoted") or match["words"] or "").strip()
        if words and len(words.split()) <= _MOST_WORDS:
            last = words.lower().split()[-1]
            try:
                if last not in _NO_RELATION:
                    return relation_type(words), words
            except InvalidInput:
                pass
    return relation_said(line), ""


def _observations(lines: list[str], reading: Reading) -> Iterator[Observation]:
    """`- [category] what was observed #tag (context)`, in a note that is made of such lines (it has
    a permalink), under a heading that says so, or with a tag."""
    every = "permalink" in reading.properties
    under = {
        number
        for section in reading.sections
        if any(title.lower() == _OBSERVED_UNDER for title in section.path)
        for number in range(section.start_line, section.end_line + 1)
    }
    for number, line in enumerate(lines, 1):
        match = _OBSERVATION.fullmatch(line) if len(line) <= LONGEST_LINE else None
        if match is None or not any(c.isalpha() for c in match["category"]):
            continue
        tags = tuple(_named_tags(match["content"]))
        if not (every or number in under or tags):
            continue
        content = _BLOCK_ID.sub("", match["content"])
        context = _CONTEXT.search(content)
        content = _CONTEXT.sub("", content)
        content = plain_links(_LAST_TAGS.sub("", content)).replace(" #", " ").strip()
        if content:
            said = context["context"].strip() if context else ""
            yield Observation(match["category"].strip(), content, number, tags, said)


def _named_tags(line: str) -> Iterator[str]:
    for match in _TAG.finditer(line) if "#" in line else ():
        yield (match[1] or match[2]).strip("/")


def _tags(lines: list[str], stated: Value) -> list[str]:
    """The tags of a note, those of its front matter first; none twice."""
    listed = stated if isinstance(stated, list) else str(stated or "").replace(",", " ").split()
    named = [tag.strip().lstrip("#") for tag in listed if isinstance(tag, str)]
    inline = [tag for line in lines for tag in _named_tags(line)]
    return list(dict.fromkeys(tag for tag in [*named, *inline] if tag))
