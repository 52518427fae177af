"""The values of Kubernetes' Secrets: all that stands under `data` and `stringData`.

A Secret may be a document, an item of a List or a part of a larger text, in YAML or in JSON.
"""

import re
from collections.abc import Iterator

from quipu.patterns import late

__all__ = ["manifest_secrets"]

_FARTHEST = 20_000
"""How far from its kind the object of a Secret is looked for, in characters."""
_KIND = late(r"""\\{0,3}["']?\bkind\\{0,3}["']?[ \t]{0,9}:\s{0,9}\\{0,3}["']?Secret\b(?![\w-])""")
_BLOCK = late(
    r"(?P<lead>[ \t]{0,60}(?:-[ \t]{1,9})?)[\"']?(?:data|stringData)[\"']?:[ \t]{0,9}(?:#.*)?\r?$"
)
_ENTRY = late(r"[ \t]{0,60}[\"']?[\w.-]{1,253}+[\"']?:[ \t]{0,9}+(?P<value>.*)")
_TEXT_HEAD = late(r"[|>][+-]?\d?[ \t]*(?:#.*)?|")
_OBJECT = late(
    r"""\\{0,3}["'](?:data|stringData)\\{0,3}["'][ \t]{0,9}:\s{0,9}\{(?P<held>[^{}]{0,20000})\}"""
)
_VALUE = late(
    r""":\s{0,9}(?P<quote>\\{0,3}["'])(?P<value>(?:(?!(?P=quote))[\s\S]){1,20000}?)(?P=quote)"""
)
_PLAIN = ("#", "[redacted:", "{{", "$")


def manifest_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where in `text` the values of Secrets stand."""
    if "Secret" not in text:
        return
    done = -1
    for kind in _KIND.finditer(text):
        line = text.rfind("\n", 0, kind.start()) + 1
        lead = text[line : kind.start()]
        if lead.strip(" \t-") or text[: kind.start()].rstrip().endswith(
            ("{", ",")
        ):  # something stands before it: an object on a line
            yield from _object(text, kind.start())
        elif line > done:
            done = line
            yield from _document(text, line, len(lead))


def _object(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The values in the JSON object that holds the kind at this place."""
    begin, end = _bracket(text, at, -1), _bracket(text, at, 1)
    for held in _OBJECT.finditer(text, begin, end):
        for value in _VALUE.finditer(text, held.start("held") - 1, held.end("held")):
            if not value["value"].startswith(_PLAIN):
                yield value.span("value")


def _bracket(text: str, at: int, step: int) -> int:
    """Where the object around this place begins (`step` -1) or ends (1)."""
    opens, closes = ("}", "{") if step < 0 else ("{", "}")
    depth = 0
    last = max(at - _FARTHEST, 0) if step < 0 else min(at + _FARTHEST, len(text))
    for place in range(at, last, step):
        depth += (text[place] == opens) - (text[place] == closes)
        if depth < 0:
            return place
    return last


def _document(text: str, at: int, column: int) -> Iterator[tuple[int, int]]:
    """The values in the YAML mapping that has the kind on the line at this place."""
    begin = at
    while begin > 0:  # up to where the mapping begins
        line = text.rfind("\n", 0, begin - 1) + 1
        above = text[line : begin - 1]
        if text[begin : begin + column].strip() == "-" or above.startswith("---"):
            break
        if above.strip() and _column(above) < column:
            break
        begin = line
    inside = False
    for start, line in _lines(text, begin):
        body = line.rstrip()
        if not body.strip() or body.lstrip().startswith("#"):
            continue
        if start > begin and (body.startswith("---") or _column(body) < column):
            return
        if start > at and body[:column].strip() == "-":
            return
        if _column(body) == column:
            inside = _BLOCK.match(body) is not None
        elif inside:
            yield from _entry(body, start)


def _column(line: str) -> int:
    """Where the key of a line stands, after the dash of a list."""
    return len(re.match(r"[ \t]*(?:-[ \t]+)?", line)[0])  # type: ignore[index] # matches always


def _lines(text: str, at: int) -> Iterator[tuple[int, str]]:
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield at, text[at:end]
        at = end + 1


def _entry(line: str, at: int) -> Iterator[tuple[int, int]]:
    """The part of a line in such a block that is a value, without its quotation marks."""
    entry = _ENTRY.fullmatch(line)
    start = entry.start("value") if entry else len(line) - len(line.lstrip(" \t"))
    value = line[start:].rstrip()
    if entry and _TEXT_HEAD.fullmatch(value):
        return
    quote = value[:1] if value[:1] in {'"', "'"} else ""
    if quote and value.endswith(quote) and len(value) > 2:
        start, value = start + 1, value[1:-1]
    if value and not value.startswith(_PLAIN):
        yield at + start, at + start + len(value)
