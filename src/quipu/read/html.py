"""HTML by selectolax: its text as lines, its headings and its links."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quipu.limits import LONGEST_LINE
from quipu.read.decode import normalised
from quipu.read.prose import mentions, sections_of
from quipu.read.reading import Reading
from quipu.read.redact import redact
from quipu.records.document import Link, Span

_DROPPED = ["script", "style", "noscript", "template", "svg", "iframe", "object", "head"]
_BLOCKS = frozenset(
    """address article aside blockquote body br button dd details dialog div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol option p
    pre section summary table tbody td tfoot th thead tr ul""".split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")  # they only say where a word may be broken
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*+)[^<>]*+>")
_MAX_DEPTH = 5_000
_MAX_REOPENED = 1_000_000
_MAX_ATTRIBUTES = 2_000  # each is compared with all before it; no more than one "=" each
_HEADING_LINES = 4
_CLOSED_BY_OTHERS = frozenset(
    """p li td th tr dt dd option thead tbody tfoot br img hr input meta link col wbr area base
    source track embed param""".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())


class _Writer:
    """Text that grows line by line, with what is found on the way."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.headings: list[tuple[int, int, str]] = []
        self.spans: list[Span] = []
        self.links: list[Link] = []
        self._line: list[str] = []  # pieces of the last line; the first begins with a letter
        self._opened: list[int] = []

    def text(self, text: str) -> None:
        flat = _SPACE.sub(" ", _INVISIBLE.sub("", text))
        if not self._line or self._line[-1].endswith(" "):
            flat = flat.lstrip()
        if flat:
            self._line.append(flat)

    def end_line(self, *, blank: bool = False) -> None:
        if written := "".join(self._line).strip():
            self.lines.append(written)
        self._line = []
        if blank and self.lines and self.lines[-1]:
            self.lines.append("")

    def cell(self) -> None:
        while self._line:
            if last := self._line.pop().rstrip():
                self._line += (last, " | ")
                return

    def block(self, text: str) -> None:
        self.end_line(blank=True)
        first = len(self.lines) + 1
        self.lines += normalised(_INVISIBLE.sub("", text)).strip("\n").split("\n")
        self.spans.append(Span(first, len(self.lines)))
        self.end_line(blank=True)

    def open_heading(self) -> None:
        self._opened.append(self.number)

    def close_heading(self, level: int) -> None:
        self.end_line()
        start = self._opened.pop()
        written = " ".join(self.lines[start - 1 : start - 1 + _HEADING_LINES]).strip()
        if written:
            self.headings.append((start, level, written))

    @property
    def number(self) -> int:
        return len(self.lines) + 1


def read_html(text: str) -> Reading:
    """The visible text of a page, redacted. Lines are those of that text, not of the markup."""
    warning = None
    if _is_hostile(text):
        warning = "is nested too deeply; only its text was read, without its structure"
        text = _TAG.sub(" ", text)
    tree = LexborHTMLParser(text)
    title_node = tree.css_first("title")
    title = _flat(title_node.text()) if title_node else ""
    tree.strip_tags(_DROPPED)
    writer = _Writer()
    if tree.body is not None:
        _walk(tree.body, writer)
    writer.end_line()
    while writer.lines and not writer.lines[-1]:
        writer.lines.pop()
    # Entities, comments and tags hid what stands together only now.
    extracted, redactions = redact("\n".join(writer.lines))
    headings = sorted((n, level, redact(h)[0]) for n, level, h in writer.headings)
    reading = Reading(extracted, title=title or (headings[0][2] if headings else ""))
    reading.redactions = redactions
    reading.sections = sections_of(headings, len(writer.lines))
    reading.spans = writer.spans
    reading.links = writer.links
    reading.uses = mentions(extracted)
    if warning:
        reading.warnings.append((warning, 0))
    return reading


def _flat(text: str) -> str:
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()


def _is_hostile(text: str) -> bool:
    """Whether parsing may take more than time with its length: elements nested deeply, or
    formatting left open, which every block that follows opens again, or thousands of attributes."""
    depth = formatting = reopened = 0
    if len(text) < _MAX_DEPTH * 3:
        return False
    for match in _TAG.finditer(text):
        tag, change = match[1].lower(), -1 if match[0][1] == "/" else 1
        if len(match[0]) > _MAX_DEPTH and match[0].count("=") > _MAX_ATTRIBUTES:
            return True
        if tag in _FORMATTING:
            formatting = max(formatting + change, 0)
        elif tag in _BLOCKS:
            reopened += formatting
        if tag not in _CLOSED_BY_OTHERS:
            depth = max(depth + change, 0)
        if depth > _MAX_DEPTH or reopened > _MAX_REOPENED:
            return True
    return False


def _walk(body: LexborNode, writer: _Writer) -> None:
    """Depth first, on a stack of our own: pages may be nested deeper than Python recurses."""
    stack: list[tuple[LexborNode, bool]] = [(body, False)]
    while stack:
        node, leaving = stack.pop()
        tag = node.tag or ""
        if leaving:
            _leave(tag, writer)
            continue
        if tag == "-text":
            writer.text(node.text(deep=False) if node.text_content is None else node.text_content)
            continue
        if tag == "pre":
            writer.block(node.text())
            continue
        if tag in _BLOCKS and tag not in ("td", "th"):
            writer.end_line(blank=tag in ("p", "ul", "ol", "table", "section", "h1", "h2", "h3"))
        if tag in _HEADINGS:
            writer.open_heading()
        elif tag == "a" and (target := _target(node)):
            writer.links.append(Link(target, writer.number))
        elif tag == "li":
            writer.text("- ")
        stack.append((node, True))
        children: list[tuple[LexborNode, bool]] = []
        child = node.child
        while child is not None:
            children.append((child, False))
            child = child.next
        stack += reversed(children)


def _target(link: LexborNode) -> str:
    """Where a link leads, without the line breaks that browsers pass over; "" for nowhere."""
    target = "".join((link.attributes.get("href") or "").strip().splitlines())
    return target if len(target) <= LONGEST_LINE else ""


def _leave(tag: str, writer: _Writer) -> None:
    if tag in _HEADINGS:
        writer.close_heading(int(tag[1]))
    if tag in ("td", "th"):
        writer.cell()
    elif tag in _BLOCKS:
        writer.end_line(blank=tag in ("p", "ul", "ol", "table", "h1", "h2", "h3", "h4"))
