"""Secrets that a whole block holds: the values of a Kubernetes Secret, in YAML."""

import re
from collections.abc import Iterator

__all__ = ["manifest_secrets"]

_KIND = re.compile(r"(?m)^[ \t]{0,40}[\"']?kind[\"']?:[ \t]{0,9}[\"']?Secret[\"']?[ \t]{0,9}\r?$")
_BLOCK = re.compile(r"([ \t]{0,40}+)(?:data|stringData):[ \t]{0,9}(?:#.*)?\r?")
_ENTRY = re.compile(r"[ \t]{1,60}+[\"']?[\w.-]{1,253}+[\"']?:[ \t]{0,9}+(?P<value>[^\r\n]*)")
_HEAD = re.compile(r"[|>][+-]?\d?[ \t]*|")


def manifest_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where in `text` the values under `data` and `stringData` of Secrets stand, line by line."""
    if "Secret" not in text or not _KIND.search(text):
        return
    inside: int | None = None
    document: list[tuple[int, int]] = []
    is_secret = False
    at = 0
    for line in [*text.split("\n"), "---"]:
        body = line.rstrip("\r")
        if body.startswith("---"):
            if is_secret:
                yield from document
            document, is_secret, inside = [], False, None
        elif opened := _BLOCK.fullmatch(body):
            inside = len(opened[1])
        elif body.strip():
            indent = len(body) - len(body.lstrip(" \t"))
            is_secret = is_secret or _KIND.fullmatch(body) is not None
            if inside is not None and indent <= inside:
                inside = None
            if inside is not None:
                document += _values(body, at)
        at += len(line) + 1


def _values(line: str, at: int) -> Iterator[tuple[int, int]]:
    """The part of a line in such a block that is a value, without its quotation marks."""
    entry = _ENTRY.fullmatch(line)
    start = entry.start("value") if entry else len(line) - len(line.lstrip(" \t"))
    value = line[start:].rstrip()
    if entry and _HEAD.fullmatch(value):
        return
    quote = value[:1] if value[:1] in {'"', "'"} else ""
    if quote and value.endswith(quote) and len(value) > 2:
        start, value = start + 1, value[1:-1]
    if value and not value.startswith(("#", "[redacted:", "{{", "$")):
        yield at + start, at + start + len(value)
