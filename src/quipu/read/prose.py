"""What stands in prose: sections under headings, names of code, paths and addresses."""

import re

from quipu.limits import LONGEST_NAME, LONGEST_TITLE
from quipu.records.document import Link, Section, Use
from quipu.text import looks_like_identifier

_CANDIDATE = re.compile(
    r"(?<![\w$])(?:[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)+(?:\(\))?"
    r"|[A-Za-z_$]\w*\(\))"
    r"|\b[A-Za-z]\w*_\w+|\b_\w+|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"
)
# What every candidate holds; most lines hold none of it, and are not searched for one.
_HINT = re.compile(r"[_(](?=[\w)])|[.#:>](?=[A-Za-z_$])|[A-Z](?<=[a-z0-9][A-Z])")
_PATH = re.compile(r"(?<![\w/:.-])(?:[\w.-]+/)+[\w-][\w.-]*\.[A-Za-z]\w{0,9}\b")
_CODE_SPAN = re.compile(r"(`{1,2})([^`\n]{1,120})\1")
_URL = re.compile(r"https?://[^\s<>\"'`\])}|\\^]+(?<![.,;:!?])")
_RELEASE = re.compile(
    r"\W*(?:(?:[vV]|[vV]ersion|[rR]elease)[ .]?)?(?:\d+\.\d+|\d{4}-\d\d?-\d\d?)|\W*[uU]nreleased\b"
)
_HAS_CODE = re.compile(r"[_.(#A-Z]|::|->")


def sections_of(headings: list[tuple[int, int, str]], last_line: int) -> list[Section]:
    """Sections from (line, level, title) headings in order; what is above the first has none."""
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    if headings and headings[0][0] > 1:
        sections.append(Section((), 1, headings[0][0] - 1))
    for at, (line, level, title) in enumerate(headings):
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, title))
        end = headings[at + 1][0] - 1 if at + 1 < len(headings) else last_line
        if end >= line:
            sections.append(Section(tuple(t[:LONGEST_NAME] for _, t in path), line, end))
    if not headings and last_line:
        sections.append(Section((), 1, last_line))
    return sections


def title_of(headings: list[tuple[int, int, str]]) -> str:
    """What (line, level, title) headings say that a document is called: the first of level 1, else
    the first. A list of releases that begins with one of them says nothing."""
    chosen = next((h for h in headings if h[1] == 1), headings[0] if headings else None)
    if chosen is None:
        return ""
    titles = [title for _, level, title in headings if level == chosen[1]]
    return "" if len(titles) > 1 and all(map(_RELEASE.match, titles[:2])) else chosen[2]


def mentions(text: str, *, spans_are_code: bool = True) -> list[Use]:
    """Names that can only be code, names in code spans, and file paths; once each, by line.

    `kind` is "name" for what looks like an identifier, "call" for a bare word in a code span.
    """
    seen: dict[str, Use] = {}
    for line, content in enumerate(text.split("\n"), 1):
        if not _HAS_CODE.search(content):
            continue
        if spans_are_code and "`" in content:
            for match in _CODE_SPAN.finditer(content):
                _add(seen, match[2].strip(), line, in_span=True)
        if "/" in content:
            for match in _PATH.finditer(content):
                seen.setdefault(match[0], Use(match[0], line, kind="path"))
        for match in _CANDIDATE.finditer(content) if _HINT.search(content) else ():
            _add(seen, match[0], line, in_span=False)
    return list(seen.values())


def _add(seen: dict[str, Use], word: str, line: int, *, in_span: bool) -> None:
    bare = word.removesuffix("()").lstrip("@$")
    if bare in seen or not bare or len(word) > LONGEST_TITLE:
        return
    if looks_like_identifier(word) or (len(word) > 3 and word[0].isupper() and in_span):
        seen[bare] = Use(bare, line, kind="name")
    elif in_span and bare.isidentifier() and len(bare) > 2:
        seen[bare] = Use(bare, line, kind="call")


def bare_urls(text: str) -> list[Link]:
    """The http(s) addresses that stand in `text`, once each, by line."""
    if "://" not in text:
        return []
    seen: dict[str, Link] = {}
    for line, content in enumerate(text.split("\n"), 1):
        if "://" in content:
            for match in _URL.finditer(content):
                seen.setdefault(match[0], Link(match[0], line))
    return list(seen.values())
