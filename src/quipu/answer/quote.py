"""What of a passage may stand in an answer: its own sentences, made safe to quote.

Evidence is data, and is quoted verbatim: of prose the marks of emphasis and the targets of links
are left out, white space is one space, and `…` stands for what was cut. Control and direction
characters are dropped, a bracketed number of the source stands in backticks so that it is never
read as a citation, and code stands between more backticks than it holds itself (CommonMark). A
sentence that orders whoever reads it to forget what it was told is no statement of anything.
"""

import re
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import NamedTuple

from quipu.answer.contract import CODE_SPAN
from quipu.limits import HEAD, LONGEST_LINE
from quipu.records.document import documents, is_directive
from quipu.text import sentences, stems, stems_in_parts

__all__ = [
    "CONTROL",
    "Unit",
    "code_lead",
    "code_span",
    "defined",
    "end_of_front",
    "fence_for",
    "holds_order",
    "in_short",
    "is_open",
    "is_order",
    "plain",
    "units",
]

LONGEST = 420
_LOOKED_AT = 40_000
_LONGEST_SIGNATURE = 160
CONTROL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\))"  # what a terminal would obey
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_SPACE = re.compile(r"\s+")
_TICKS = re.compile(r"`+")
_BRACKETED = re.compile(r"\[\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\]")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_EMPHASIS = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?<!\w)(?P<sign>\*\*|__(?!\w+__(?!\w))|\*)(?=\S)(?P<said>.+?)(?<=\S)(?P=sign)(?!\w)"
)
_LISTED = re.compile(r"^\s*(?:[-*+•:@]|\d{1,3}[.)])\s?\S", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
# A heading, a row of a table, a directive, a rule: what is no prose, and parts what is.
_APART = re.compile(
    r"^\s*(?:#{1,6}\s|=+\s|\|\s?|\.\. |:[\w-]+:\s*$|\[+[\w.\"' -]+\]+$|[-=*_~^]{3,}\s*$|$)"
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_DEFINITION = re.compile(
    r"^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|final\s+"
    r"|abstract\s+|pub(?:\([\w ]+\))?\s+|unsafe\s+|const\s+)*(?:def|class|function\*?|func|fn|fun"
    r"|interface|struct|enum|trait|impl|type|module|namespace|CREATE|create)\b.*"
)
_DEFINES = re.compile(
    r"`+ ?(?:[\w()]+ ){0,4}?"
    r"(?:def|class|func|fn|fun|function|interface|struct|enum|trait|type) (\w+)"
)
_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\r?\n(?:.*\n)*?\1[ \t]*\r?(?:\n|\Z)")
_COMMENT = re.compile(r"^\s*(?:///?!?|#+!?(?!\[)|/?\*+/?|--|;;+)\s?(.*?)\s*(?:\*/)?$")
_DOCSTRING = re.compile(r"^\s*[rRuUbB]?(?:\"\"\"|''')(.*?)(?:\"\"\"|'''|\Z)", re.DOTALL)
_ORDER = re.compile(
    r"\W*(?:(?:please|now|important|attention|note|system|assistant)\b[\s,:!]*){0,3}"
    r"(?:(?:ignore|disregard|forget|override)\b[^.!?\n]{0,40}?"
    r"\b(?:instructions?|prompts?|rules|directions|guidelines|context|you were told)\b"
    r"|from now on,? you\b|you are now\b|you must (?:now )?(?:answer|reply|respond|say|tell)\b"
    r"|(?:answer|reply|respond|say) only\b|reply with\b|new instructions?\b)",
    re.IGNORECASE,
)


class Unit(NamedTuple):
    """A sentence, an item of a list or, `of_code`, a line of fenced code: where it stands in the
    passage's text, half-open, and the safe text."""

    start: int
    end: int
    text: str
    of_code: bool = False


def plain(text: str, *, limit: int = LONGEST) -> str:
    """`text` on one line, safe to quote, at most `limit` characters, cut at a word."""
    flat = _SPACE.sub(" ", CONTROL.sub("", text.replace("\t", " ").replace("\n", " "))).strip()
    if len(flat) > limit:
        flat = flat[: limit - 1].rsplit(" ", 1)[0].rstrip() + "…"
    return _without_marks(flat)


def code_span(text: str, *, limit: int = LONGEST) -> str:
    """Code on one line, to the letter, between more backticks than stand together in it."""
    flat = _SPACE.sub(" ", CONTROL.sub("", text)).strip()
    if len(flat) > limit:
        flat = f"{flat[: limit - 1].rstrip()}…"
    if "`" not in flat:
        return f"`{flat}`"
    apart = " " if flat.startswith("`") or flat.endswith("`") else ""
    ticks = "`" * _unused(flat)
    return f"{ticks}{apart}{flat}{apart}{ticks}"


def fence_for(lines: Iterable[str]) -> str:
    """The fence of a block of code: longer than any backticks that stand together in it."""
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    return "`" * max(3, longest + 1)


def is_open(text: str) -> bool:
    """Whether backticks of a line are left open, so that what follows would be code with it."""
    return "`" in CODE_SPAN.sub("", text)


def _unused(text: str) -> int:
    """The fewest backticks that nowhere stand together in a text."""
    used = {len(run) for run in _TICKS.findall(text)}
    return next(n for n in range(1, len(used) + 2) if n not in used)


def _without_marks(flat: str) -> str:
    """A line in which no bracketed number can be read as a citation: it stands in backticks, apart
    from others that it would be joined with."""
    if not _BRACKETED.search(flat):
        return flat
    ticks, code = "`" * _unused(flat), [span.span() for span in CODE_SPAN.finditer(flat)]

    def shown(match: re.Match[str]) -> str:
        if any(start < match.start() < end for start, end in code):
            return match.group()
        before = " " if flat[: match.start()].endswith("`") else ""
        after = " " if flat[match.end() :].startswith("`") else ""
        return f"{before}{ticks}{match.group()}{ticks}{after}"

    return _BRACKETED.sub(shown, flat)


def units(text: str) -> list[Unit]:
    """The sentences, list items and lines of fenced code of a passage, in order; none that is an
    order to its reader."""
    found: list[Unit] = []
    begin = offset = end_of_front(text)
    fenced = False
    for line in [*text[offset:_LOOKED_AT].split("\n"), ""]:
        fence, item = _FENCE.match(line), _ITEM.match(line)
        if fenced or fence or item or _APART.match(line):
            found += _sentences(text, begin, offset)
            begin = offset + (item.end() if item and not fenced else len(line) + 1)
        if fence:
            fenced = not fenced
        elif fenced and line.strip():
            found.append(Unit(offset, offset + len(line), code_span(line.strip()), of_code=True))
        offset += len(line) + 1
    return [u for u in found if any(c.isalnum() for c in u.text) and not is_order(u.text)]


def _sentences(text: str, begin: int, end: int) -> list[Unit]:
    return [
        Unit(begin + first, begin + last, _prose(text[begin + first : begin + last]))
        for first, last in sentences(text[begin:end])
    ]


def end_of_front(text: str) -> int:
    """Where the front matter of a passage ends; 0 where there is none."""
    front = _FRONT.match(text[:_LOOKED_AT])
    return front.end() if front else 0


def is_order(sentence: str) -> bool:
    """Whether it tells its reader to set instructions aside or what to answer, as text does that
    is made to steer a language model."""
    return _ORDER.match(sentence) is not None


def holds_order(text: str) -> bool:
    """Whether any sentence or line of it is an order."""
    return any(
        is_order(line[start:end]) for line in text.splitlines() for start, end in sentences(line)
    )


def _prose(text: str) -> str:
    text = text[: 4 * LONGEST]  # what comes after is cut off anyway
    bare = _EMPHASIS.sub(lambda m: m["code"] or m["said"], _LINK.sub(r"\1", text))
    return plain(bare.strip().strip("|").strip())


def code_lead(text: str, about: Collection[str] = (), *, whole: bool = False) -> tuple[str, str]:
    """(signature, its documentation `in_short`) of a passage of code; "" where it has none. The
    documentation is a docstring below the signature or the comment above it; `whole`: of its first
    paragraphs as many sentences as may be quoted."""
    lines = text.split("\n")
    at = next((i for i, line in enumerate(lines) if _DEFINITION.match(line)), None)
    if at is None:
        return "", in_short(_comment_above(lines, len(lines)), about, whole=whole)
    end = at
    while end < min(at + 12, len(lines) - 1) and not _is_closed("\n".join(lines[at : end + 1])):
        end += 1
    joined = _SPACE.sub(" ", " ".join(line.strip() for line in lines[at : end + 1]))
    signature = re.sub(r"([(\[]) | ([)\]])", r"\1\2", joined).rstrip("{: ").strip()
    below = _DOCSTRING.match("\n".join(lines[end + 1 :]))
    documentation = below[1] if below else _comment_above(lines, at)
    shown = CONTROL.sub("", signature)
    if len(shown) > _LONGEST_SIGNATURE:
        shown = shown[: _LONGEST_SIGNATURE - 1].rsplit(" ", 1)[0].rstrip() + "…"
    open_ = set(about) - set(stems_in_parts(defined(code_span(shown))))
    return shown, in_short(documentation, open_, whole=whole)


def _is_closed(text: str) -> bool:
    return text.count("(") <= text.count(")")


def _comment_above(lines: list[str], at: int) -> str:
    """The last comment before line `at` that documents something, without its marks."""
    comments: list[list[str]] = [[]]
    for line in lines[:at]:
        match = _COMMENT.match(line[:LONGEST_LINE])
        if match and not is_directive(line):
            comments[-1].append(match[1])
        elif not line.strip():
            comments.append([])
        elif not line.lstrip().startswith("@"):
            comments = [[]]
    return next((c for each in reversed(comments) if documents(c := "\n".join(each))), "")


def in_short(documentation: str, about: Collection[str] = (), *, whole: bool = False) -> str:
    """The first sentence of a comment or doc string and, of the others of its first paragraphs, the
    one that says most of `about` (stems) that the first does not; of lists none; safe to quote.
    `whole` adds the others too, in order, as long as they fit."""
    said = [
        _prose(paragraph[start:end])
        for at, paragraph in enumerate(documentation[:HEAD].strip().split("\n\n"))
        if at == 0 or not _LISTED.search(paragraph)
        for start, end in sentences(paragraph)
    ]
    if not said:
        return ""
    open_ = set(about) - set(stems(said[0]))
    more = [len(open_ & set(stems(each))) for each in said]
    best = more.index(max(more))
    chosen = {0, best} if more[best] else {0}
    for at in range(1, len(said)) if whole else ():
        if sum(len(said[i]) + 1 for i in {*chosen, at}) > LONGEST:
            break
        chosen.add(at)
    shown = [at for at in sorted(chosen) if said[at]]
    gaps = [" … " if at - before > 1 else " " for before, at in pairwise(shown)]
    return plain("".join(f"{gap}{said[at]}" for gap, at in zip(["", *gaps], shown, strict=True)))


def defined(signature: str) -> str:
    """The name that a quoted signature defines; "" where it defines none."""
    found = _DEFINES.match(signature)
    return found[1] if found else ""
