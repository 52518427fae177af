"""The last look for secrets: at everything a reader found that is not the text itself.

Text is redacted before it is read, as it will be stored. A reader still brings out what stood
otherwise in the file: a title beside the text, an escape resolved, markup taken away.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, cast

from quipu.read.redact import redact
from quipu.records.document import Document

_LOOKED_AT = (
    "title", "description", "properties", "sections", "definitions", "uses", "imports", "links",
    "things", "relations", "owner_rules", "observations", "problems",
)  # fmt: skip
assert {field.name for field in fields(Document)} > set(_LOOKED_AT)


def scrub(document: Document) -> Document:
    """`document` without secrets in anything that was found in it, and with their counts.

    Its text, path and hashes stay as they are. A name that held a secret is no use of a name.
    """
    every = {text for name in _LOOKED_AT for text in _texts(getattr(document, name), "")}
    _, counts = redact("\n".join(sorted(every)))
    if not counts:
        return document
    clean = {name: _clean(getattr(document, name), "") for name in _LOOKED_AT}
    clean["uses"] = tuple(use for use in document.uses if _clean(use, "") == use)
    return replace(
        document,
        **cast("dict[str, Any]", clean),
        redactions=together(document.redactions, counts),
    )


def together(one: dict[str, int], two: dict[str, int]) -> dict[str, int]:
    """The sums of two counts, by kind."""
    return {kind: one.get(kind, 0) + two.get(kind, 0) for kind in sorted({*one, *two})}


def _texts(value: object, key: str) -> Iterator[str]:
    """Every text in `value`; one that a key names, as a line with its name."""
    if isinstance(value, str):
        yield f"{key}: {value}" if key else value
    elif isinstance(value, dict):
        for inner, each in cast("dict[str, object]", value).items():
            yield inner
            yield from _texts(each, inner)
    elif isinstance(value, list | tuple):
        for each in cast("list[object]", value):
            yield from _texts(each, key)


def _clean(value: object, key: str) -> object:
    if isinstance(value, str):
        named = f"{key}: " if key else ""
        cleaned = redact(named + value)[0]
        return cleaned.removeprefix(named) if cleaned.startswith(named) else redact(value)[0]
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {redact(inner)[0]: _clean(each, inner) for inner, each in items}
    if isinstance(value, list):
        return [_clean(each, key) for each in cast("list[object]", value)]
    if isinstance(value, tuple):
        held = cast("tuple[object, ...]", value)
        cleaned = [_clean(each, key) for each in held]
        make = getattr(type(held), "_make", tuple)  # named tuples keep their type
        return make(cleaned)
    return value
