"""reStructuredText, AsciiDoc and Org by their lines: title, headings, blocks that are kept whole,
links, and what the head says. The text stays as written.

Of 150 files of reStructuredText, of some twenty projects, 147 had the titles that docutils finds;
of the other three it finds one fewer each, since it refuses a title that skips a level.
"""

import re
from collections.abc import Iterator, Sequence

from quipu.limits import LONGEST_NAME
from quipu.read.front_matter import key_of
from quipu.read.prose import bare_urls, mentions, sections_of, title_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Section, Span

__all__ = ["read_asciidoc", "read_org", "read_rst"]

Heading = tuple[int, int, str]


def _finished(reading: Reading, headings: Sequence[Heading], link: re.Pattern[str]) -> Reading:
    """The reading with its sections, its title, and what its text names and links to: of `link`
    the group that matched is the target."""
    lines = reading.text.split("\n")
    reading.headings = [*headings]
    reading.sections = sections_of(reading.headings, len(lines))
    reading.title = title_of(reading.headings)
    found: dict[str, Link] = {}
    for number, line in enumerate(lines, 1):
        for match in link.finditer(line):
            target = (match[match.lastindex or 0]).strip()
            found.setdefault(target, Link(target, number))
    for each in bare_urls(reading.text.replace("[", " ")):
        found.setdefault(each.target, each)
    reading.links = [*found.values()]
    return reading


# --- reStructuredText ------------------------------------------------------------------------

_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.<>_!$%&(),/;?@\[\\\]{|}])\1{2,}\s*$")
_RST_MARKS = re.compile(r":[\w:+-]+:`|[`*]")
_RST_LINK = re.compile(
    r":(?:doc|download):`(?:[^`<]*<)?([^`<>]+)>?`"
    r"|`[^`<]*<((?!\S*://)[^<>`\s]+)(?<!_)>`__?|^\.\. _[^:]{1,200}:[ \t]+((?!\S*://)\S+)(?<!_)$"
)
# What Sphinx describes objects with, in whatever domain ("py:data", "c:function").
_OBJECT = re.compile(
    r"\s*\.\. (?:[a-z][\w-]*:)?(?:attribute|class|classmethod|cmdoption|command|concept|confval"
    r"|data|decorator|decoratormethod|describe|enum|enumerator|envvar|exception|function|macro"
    r"|member|method|object|option|property|setting|staticmethod|struct|type|union|var)"
    r"::[ \t]+(\S.*)"
)


def read_rst(text: str) -> Reading:
    """The sections, literal blocks and links of reStructuredText."""
    reading = Reading(text, uses=mentions(text.replace("``", "`")))
    lines = text.split("\n")
    reading.spans = list(_literal_blocks(lines))
    literal = {n for span in reading.spans for n in range(span.start_line, span.end_line + 1)}
    _finished(reading, list(_underlined(lines, literal)), _RST_LINK)
    sections = [_described(section, lines, literal) for section in reading.sections]
    reading.sections = [part for parts in sections for part in parts]
    return reading


def _underlined(lines: list[str], literal: set[int]) -> Iterator[Heading]:
    """Titles in order with their lines and levels: a new style is one level deeper."""
    levels: dict[tuple[str, bool], int] = {}
    after = 0
    for number, line in enumerate(lines[:-1], 1):
        below = lines[number]
        if number <= after or number in literal or not line.strip() or _UNDERLINE.match(line):
            continue
        if _UNDERLINE.match(below) and len(below.rstrip()) >= min(len(line.rstrip()), 4):
            over = number > 1 and _UNDERLINE.match(lines[number - 2]) is not None
            level = levels.setdefault((below[0], over), len(levels) + 1)
            yield number - over, level, " ".join(_RST_MARKS.sub("", line).split())
            after = number + 1


def _described(section: Section, lines: list[str], literal: set[int]) -> Iterator[Section]:
    """`section`, cut where it describes objects: each of them with what is indented below it is a
    section that is called by its name."""
    begun, path = section.start_line, section.path
    around: list[tuple[int, str]] = []
    for number in range(section.start_line, section.end_line + 1):
        line = lines[number - 1]
        if not line.strip() or number in literal:
            continue
        while around and _indent(line) <= around[-1][0]:
            around.pop()
        if described := _OBJECT.fullmatch(line):
            name = " ".join(described[1].partition("(")[0].split())[:LONGEST_NAME]
            around.append((_indent(line), name))
        here = (*section.path, *(name for _, name in around))
        if here != path:
            if number > begun:
                yield Section(path, begun, number - 1)
            begun, path = number, here
    yield Section(path, begun, section.end_line)


def _literal_blocks(lines: list[str]) -> Iterator[Span]:
    """Indented lines below `::` or a directive that holds code."""
    number = 0
    while number < len(lines):
        line = lines[number]
        opens = line.rstrip().endswith("::") or re.match(r"\s*\.\. (?:code|sourcecode)", line)
        number += 1
        ends = (n for n in range(number, len(lines)) if _ends(lines[n], line))
        end = next(ends, len(lines)) if opens else number
        while end > number and not lines[end - 1].strip():
            end -= 1
        if end > number:
            yield Span(number, end)
            number = end


def _ends(line: str, block: str) -> bool:
    """Whether a line stands no deeper than the one that opens a block."""
    return bool(line.strip()) and _indent(line) <= _indent(block)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# --- AsciiDoc --------------------------------------------------------------------------------

_ADOC_HEADING = re.compile(
    r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+(?P=marks))?[ \t]*"
)
_DELIMITER = re.compile(r"(?:[-.+=*_/]{4,}|--|[|,:!]={3,}|`{3,}\w*)[ \t]*")
_VERBATIM = re.compile(r"--[-]|[.+/`|,:!]")
"""What begins the delimiters of blocks that are kept whole."""
_UNDERLINES = "=-~^+"
"""What underlines a title, by its level."""
_NEARLY = 2
_ATTRIBUTE = re.compile(r":(?P<key>[\w-]{1,100}):[ \t]+(?P<value>\S.*)")
_AUTHOR = re.compile(r"(?P<name>\w[\w.'-]*(?: \w[\w.'-]*){0,3})(?:[ \t]+<(?P<address>[^<>\s]+)>)?")
_REVISION = re.compile(r"[vV](?P<version>\d[\w.-]*)(?:,[ \t]*(?P<date>\d{4}-\d\d-\d\d))?.*")
_ADOC_LINK = re.compile(
    r"(?:link|xref|include|image):{1,2}([^\s\[\]]{1,300})\["
    r"|<<([^\s<>,#]{1,200}\.\w{1,9})(?:#[^<>,]*)?(?:,[^<>]*)?>>"
)
_ADOC_MARKS = re.compile(r"(?<!\w)[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}(?!\w)|^\[\[[^\]]*\]\]")


def read_asciidoc(text: str) -> Reading:
    """The title, sections, blocks and links of `text`, and the attributes of its header."""
    reading = Reading(text, uses=mentions(text))
    headings: list[Heading] = []
    lines = text.split("\n")
    opened, delimiter = 0, ""
    for number, line in enumerate(lines, 1):
        if delimiter:
            if line.rstrip() == delimiter:
                reading.spans += [Span(opened, number)] if _VERBATIM.match(line) else []
                delimiter = ""
        elif level := _two_line_level(lines, number):
            headings.append((number - 1, level, _adoc_title(lines[number - 2])))
        elif _DELIMITER.fullmatch(line):
            opened, delimiter = number, re.sub(r"(`{3,})\w*", r"\1", line.rstrip())
        elif heading := _ADOC_HEADING.fullmatch(line):
            headings.append((number, len(heading["marks"]), _adoc_title(heading["title"])))
    _read_header(reading, lines, headings[0] if headings and headings[0][1] == 1 else None)
    return _finished(reading, headings, _ADOC_LINK)


def _adoc_title(written: str) -> str:
    return " ".join(_ADOC_MARKS.sub("", written).split())


def _two_line_level(lines: list[str], number: int) -> int:
    """The level of a title that stands above line `number` and is underlined by it; 0 for none."""
    line = lines[number - 1].rstrip()
    above = lines[number - 2].rstrip() if number > 1 else ""
    alone = number < 3 or not lines[number - 3].strip()
    if not alone or not above[:1].isalnum() or len(set(line)) != 1 or line[0] not in _UNDERLINES:
        return 0
    near = abs(len(line) - len(above)) <= _NEARLY
    return _UNDERLINES.index(line[0]) + 1 if near else 0


def _read_header(reading: Reading, lines: list[str], title: Heading | None) -> None:
    """The author, the revision and the attributes on the lines below the title."""
    first = title[0] if title else 0
    first += bool(title) and first < len(lines) and _two_line_level(lines, first + 1) > 0
    for place, line in enumerate(lines[first:]):
        if attribute := _ATTRIBUTE.fullmatch(line):
            reading.properties[key_of(attribute["key"])] = attribute["value"].strip()
        elif title and (revision := _REVISION.fullmatch(line)):
            found = {key: value for key, value in revision.groupdict().items() if value}
            reading.properties.update(found)
        elif title and place == 0 and (author := _AUTHOR.fullmatch(line)):
            reading.properties["author"] = author["name"]
        elif not line.startswith((":", "//")):
            break


# --- Org -------------------------------------------------------------------------------------

_ORG_HEADING = re.compile(r"(?P<stars>\*{1,10})[ \t]+(?P<title>\S.*)")
_PRIORITY, _TAGS = re.compile(r"^\[#\w\][ \t]*"), re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_KEYWORD = re.compile(r"#\+(?P<key>\w{1,40}):[ \t]*(?P<value>\S.*?)[ \t]*")
_STATES = re.compile(r"(?i)#\+(?:todo|seq_todo|typ_todo):(?P<states>.*)")
_BEGIN = re.compile(r"(?i)[ \t]*(?:#\+begin_(?P<block>\w+)|:properties:|:logbook:).*")
_ORG_LINK = re.compile(r"\[\[(?:file:)?([^\[\]]{1,300}?)(?:::[^\[\]]*)?\](?:\[[^\[\]]*\])?\]")
_TOP = 2
"""The level of `* Heading`: only `#+TITLE:` is above it."""
_HEAD = frozenset("title subtitle author date email description language category".split())


def read_org(text: str) -> Reading:
    """The title, sections, blocks and links of `text`, and the keywords that say what it is."""
    reading = Reading(text, uses=mentions(text, spans_are_code=False))
    headings: list[Heading] = []
    lines = text.split("\n")
    states = {"TODO", "DONE"}
    for found in filter(None, map(_STATES.fullmatch, lines)):
        states.update(re.findall(r"[^\s|(]+(?=\s|\(|$)", found["states"]))
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if begun := _BEGIN.fullmatch(line):
            end = f"#+end_{begun['block']}".lower() if begun["block"] else ":end:"
            below = (n for n in range(number, len(lines)) if lines[n].strip().lower() == end)
            if last := next(below, 0):
                reading.spans.append(Span(number, last + 1))
                number = last + 1
        elif heading := _ORG_HEADING.fullmatch(line):
            title = _TAGS.sub("", heading["title"])
            state, _, rest = title.partition(" ")
            title = _PRIORITY.sub("", rest.strip() if state in states else title)
            headings.append((number, len(heading["stars"]) + _TOP - 1, title or state))
        elif (keyword := _KEYWORD.fullmatch(line)) and keyword["key"].lower() in _HEAD:
            reading.properties.setdefault(key_of(keyword["key"]), keyword["value"])
        elif line.lstrip().startswith("|"):
            last = number
            while last < len(lines) and lines[last].lstrip().startswith("|"):
                last += 1
            reading.spans.append(Span(number, last))
            number = last
    _finished(reading, headings, _ORG_LINK)
    top = [title for _, level, title in headings if level == _TOP]
    reading.title = top[0] if len(top) == 1 else ""
    return reading
