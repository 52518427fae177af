"""Org mode: title and keywords, headings, blocks, tables and links. The text stays as written."""

import re

from quipu.read.front_matter import key_of
from quipu.read.prose import bare_urls, mentions, sections_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Span

_HEADING = re.compile(r"(?P<stars>\*{1,10})[ \t]+(?P<title>\S.*)")
_PRIORITY, _TAGS = re.compile(r"^\[#\w\][ \t]*"), re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_KEYWORD = re.compile(r"#\+(?P<key>\w{1,40}):[ \t]*(?P<value>\S.*?)[ \t]*")
_STATES = re.compile(r"(?i)#\+(?:todo|seq_todo|typ_todo):(?P<states>.*)")
_BEGIN = re.compile(r"(?i)[ \t]*(?:#\+begin_(?P<block>\w+)|:properties:|:logbook:).*")
_LINK = re.compile(r"\[\[(?:file:)?(?P<target>[^\[\]]{1,300}?)(?:::[^\[\]]*)?\](?:\[[^\[\]]*\])?\]")
_TOP = 2
"""The level of `* Heading`: only `#+TITLE:` is above it."""
_HEAD = frozenset("title subtitle author date email description language category".split())


def read_org(text: str) -> Reading:
    """The title, sections, blocks and links of `text`, and the keywords that say what it is."""
    reading = Reading(text)
    lines = text.split("\n")
    states = {"TODO", "DONE"}
    for found in map(_STATES.fullmatch, lines):
        if found:
            states.update(re.findall(r"[^\s|(]+(?=\s|\(|$)", found["states"]))
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if begun := _BEGIN.fullmatch(line):
            end = f"#+end_{begun['block']}".lower() if begun["block"] else ":end:"
            last = next((n for n in range(number, len(lines)) if _is(lines[n], end)), -1)
            if last >= 0:
                reading.spans.append(Span(number, last + 1))
                number = last + 1
        elif heading := _HEADING.fullmatch(line):
            title = _TAGS.sub("", heading["title"])
            state, _, rest = title.partition(" ")
            title = _PRIORITY.sub("", rest.strip() if state in states else title)
            reading.headings.append((number, len(heading["stars"]) + _TOP - 1, title or state))
        elif (keyword := _KEYWORD.fullmatch(line)) and keyword["key"].lower() in _HEAD:
            reading.properties.setdefault(key_of(keyword["key"]), keyword["value"])
        elif line.lstrip().startswith("|"):
            last = number
            while last < len(lines) and lines[last].lstrip().startswith("|"):
                last += 1
            reading.spans.append(Span(number, last))
            number = last
    for place, line in enumerate(lines, 1):
        reading.links += [Link(link["target"], place) for link in _LINK.finditer(line)]
    reading.sections = sections_of(reading.headings, len(lines))
    top = [title for _, level, title in reading.headings if level == _TOP]
    reading.title = top[0] if len(top) == 1 else ""
    reading.uses = mentions(text, spans_are_code=False)
    known = {link.target for link in reading.links}
    reading.links += [link for link in bare_urls(text) if link.target not in known]
    return reading


def _is(line: str, end: str) -> bool:
    return line.strip().lower() == end
