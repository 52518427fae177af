"""AsciiDoc: its title, header and headings, blocks, tables and links. The text stays as written."""

import re

from quipu.read.front_matter import key_of
from quipu.read.prose import bare_urls, mentions, sections_of, title_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Span

_HEADING = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+(?P=marks))?[ \t]*")
_DELIMITER = re.compile(r"(?:[-.+=*_/]{4,}|--|[|,:!]={3,}|`{3,}\w*)[ \t]*")
_VERBATIM = re.compile(r"--[-]|[.+/`|,:!]")
"""What begins the delimiters of blocks that are kept whole."""
_UNDERLINES = "=-~^+"
"""What underlines a title, by its level."""
_NEARLY = 2
_ATTRIBUTE = re.compile(r":(?P<key>[\w-]{1,100}):[ \t]+(?P<value>\S.*)")
_AUTHOR = re.compile(r"(?P<name>\w[\w.'-]*(?: \w[\w.'-]*){0,3})(?:[ \t]+<(?P<address>[^<>\s]+)>)?")
_REVISION = re.compile(r"[vV](?P<version>\d[\w.-]*)(?:,[ \t]*(?P<date>\d{4}-\d\d-\d\d))?.*")
_LINK = re.compile(
    r"(?:(?:link|xref|include|image):{1,2}(?P<target>[^\s\[\]]{1,300})\[)"
    r"|<<(?P<page>[^\s<>,#]{1,200}\.\w{1,9})(?:#[^<>,]*)?(?:,[^<>]*)?>>"
)
_MARKS = re.compile(r"(?<!\w)[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}(?!\w)|^\[\[[^\]]*\]\]")


def read_asciidoc(text: str) -> Reading:
    """The title, sections, blocks and links of `text`, and the attributes of its header."""
    reading = Reading(text)
    lines = text.split("\n")
    opened, delimiter = 0, ""
    for number, line in enumerate(lines, 1):
        if delimiter:
            if line.rstrip() == delimiter:
                reading.spans += [Span(opened, number)] if _VERBATIM.match(line) else []
                delimiter = ""
        elif level := _underlined(lines, number):
            reading.headings.append((number - 1, level, _title(lines[number - 2])))
        elif _DELIMITER.fullmatch(line):
            opened, delimiter = number, re.sub(r"(`{3,})\w*", r"\1", line.rstrip())
        elif heading := _HEADING.fullmatch(line):
            reading.headings.append((number, len(heading["marks"]), _title(heading["title"])))
        for link in _LINK.finditer(line):
            reading.links.append(Link(link["target"] or link["page"], number))
    _read_header(reading, lines)
    reading.sections = sections_of(reading.headings, len(lines))
    reading.title = title_of(reading.headings)
    reading.uses = mentions(text)
    known = {link.target for link in reading.links}
    reading.links += [
        link for link in bare_urls(text.replace("[", " ")) if link.target not in known
    ]
    return reading


def _is_underline(lines: list[str], first: int) -> bool:
    return bool(first) and first < len(lines) and _underlined(lines, first + 1) > 0


def _title(written: str) -> str:
    return " ".join(_MARKS.sub("", written).split())


def _underlined(lines: list[str], number: int) -> int:
    """The level of a title that stands above line `number` and is underlined by it; 0 for none."""
    line = lines[number - 1].rstrip()
    above = lines[number - 2].rstrip() if number > 1 else ""
    alone = number < 3 or not lines[number - 3].strip()
    if not alone or not above[:1].isalnum() or len(set(line)) != 1 or line[0] not in _UNDERLINES:
        return 0
    near = abs(len(line) - len(above)) <= _NEARLY
    return _UNDERLINES.index(line[0]) + 1 if near else 0


def _read_header(reading: Reading, lines: list[str]) -> None:
    """The author, the revision and the attributes on the lines below the title."""
    titled = bool(reading.headings) and reading.headings[0][1] == 1
    first = reading.headings[0][0] if titled else 0
    below = lines[first + _is_underline(lines, first) :]
    for place, line in enumerate(below):
        if attribute := _ATTRIBUTE.fullmatch(line):
            reading.properties[key_of(attribute["key"])] = attribute["value"].strip()
        elif titled and (revision := _REVISION.fullmatch(line)):
            found = {key: value for key, value in revision.groupdict().items() if value}
            reading.properties.update(found)
        elif titled and place == 0 and (author := _AUTHOR.fullmatch(line)):
            reading.properties["author"] = author["name"]
        elif not line.startswith((":", "//")):
            break
