"""HTML by selectolax: its text as lines, its headings and its links."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quipu.domain.document import Link, Span
from quipu.read.prose import mentions, sections_of
from quipu.read.reading import Reading

_DROPPED = ["script", "style", "noscript", "template", "svg", "iframe", "object", "head"]
_BLOCKS = frozenset(
    """address article aside blockquote body br button dd details dialog div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol option p
    pre section summary table tbody td tfoot th thead tr ul""".split()
)
_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)[^<>]*>")
_MAX_DEPTH = 5_000
_CLOSED_BY_OTHERS = frozenset(
    """p li td th tr dt dd option thead tbody tfoot br img hr input meta link col wbr area base
    source track embed param""".split()
)


class _Writer:
    """Text that grows line by line, with what is found on the way."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.headings: list[tuple[int, int, str]] = []
        self.spans: list[Span] = []
        self.links: list[Link] = []
        self._line = ""

    def text(self, text: str) -> None:
        flat = _SPACE.sub(" ", text)
        self._line += flat.lstrip() if not self._line or self._line.endswith(" ") else flat

    def end_line(self, *, blank: bool = False) -> None:
        if self._line.strip():
            self.lines.append(self._line.strip())
        self._line = ""
        if blank and self.lines and self.lines[-1]:
            self.lines.append("")

    def cell(self) -> None:
        if self._line.strip():
            self._line = self._line.rstrip() + " | "

    def block(self, text: str) -> None:
        self.end_line(blank=True)
        first = len(self.lines) + 1
        self.lines += text.strip("\n").split("\n")
        self.spans.append(Span(first, len(self.lines)))
        self.end_line(blank=True)

    @property
    def number(self) -> int:
        return len(self.lines) + 1


def read_html(text: str) -> Reading:
    """The visible text of a page. Lines are those of the extracted text, not of the markup."""
    warning = None
    if _depth(text) > _MAX_DEPTH:
        warning = "is nested too deeply; only its text was read, without its structure"
        text = _TAG.sub(" ", text)
    tree = LexborHTMLParser(text)
    title_node = tree.css_first("title")
    title = _SPACE.sub(" ", title_node.text()).strip() if title_node else ""
    tree.strip_tags(_DROPPED)
    writer = _Writer()
    if tree.body is not None:
        _walk(tree.body, writer)
    writer.end_line()
    while writer.lines and not writer.lines[-1]:
        writer.lines.pop()
    extracted = "\n".join(writer.lines)
    headings = [h for h in writer.headings if h[0] <= len(writer.lines)]
    reading = Reading(extracted, title=title or (headings[0][2] if headings else ""))
    reading.sections = sections_of(headings, len(writer.lines))
    reading.spans = writer.spans
    reading.links = writer.links
    reading.uses = mentions(extracted)
    if warning:
        reading.warnings.append((warning, 0))
    return reading


def _depth(text: str) -> int:
    """About how deep elements are nested: parsing takes time with the square of it."""
    depth = deepest = 0
    if len(text) < _MAX_DEPTH * 3:
        return 0
    for match in _TAG.finditer(text):
        tag = match[1].lower()
        if tag not in _CLOSED_BY_OTHERS:
            depth = max(depth - 1, 0) if match[0][1] == "/" else depth + 1
            deepest = max(deepest, depth)
    return deepest


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
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            heading = _SPACE.sub(" ", node.text()).strip()
            if heading:
                writer.headings.append((writer.number, int(tag[1]), heading))
        elif tag == "a" and (target := (node.attributes.get("href") or "").strip()):
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


def _leave(tag: str, writer: _Writer) -> None:
    if tag in ("td", "th"):
        writer.cell()
    elif tag in _BLOCKS:
        writer.end_line(blank=tag in ("p", "ul", "ol", "table", "h1", "h2", "h3", "h4"))
