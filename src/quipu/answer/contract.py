"""The answer contract, enforced: the JSON schema and the promises a schema cannot express.

`contract.schema.json` is kept as it was laid down. It lets through what no reply may hold: the
word unknown beside evidence, blank or invented ids, paths that name nothing, a timestamp that is
none. `check` closes these holes.

The schema is checked by msgspec, which is imported anyway; jsonschema (about 140 ms of import)
is loaded only to say why a contract failed. A property test holds the two to the same verdict.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import msgspec

from quipu.records.reply import Contract

__all__ = [
    "ASSERT_ABOVE",
    "CODE_SPAN",
    "FENCED",
    "MARK",
    "PLACE",
    "UNKNOWN",
    "check",
    "cited",
    "schema",
    "schema_errors",
]

UNKNOWN = "unknown"
ASSERT_ABOVE = 0.70

MARK = re.compile(r"\[([0-9]{1,6}(?:\s*,\s*[0-9]{1,6})*)\]")
CODE_SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)")
"""Code in a line: between as many backticks before as after it (CommonMark)."""
FENCED = re.compile(r"^(?P<fence>`{3,})[^`\n]*\n(?:.*\n)*?(?P=fence)`*[ \t]*$", re.MULTILINE)
PLACE = re.compile(
    r"^(?:Also: )?(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)(?: · [^\n]*)? \[(?P<n>\d+)\]$",
    re.MULTILINE,
)
"""A line that names a place: the lines of a block stand below it, where it is the first."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:(?P<second>[0-9]{2})(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?P<zone>[0-9]{2}:[0-9]{2}))"
)


class _Item(msgspec.Struct, forbid_unknown_fields=True):
    graph_ids: Annotated[list[str], msgspec.Meta(min_length=1)]
    file_paths: Annotated[list[str], msgspec.Meta(min_length=1)]
    excerpt: str | msgspec.UnsetType = msgspec.UNSET
    source_sha: str | msgspec.UnsetType = msgspec.UNSET


class _Shape(msgspec.Struct, forbid_unknown_fields=True):
    answer: str
    evidence: list[_Item]
    timestamp: str
    limitations: str
    next_step: str


def check(
    contract: Contract | Mapping[str, object],
    *,
    known_ids: Collection[str] | None = None,
    confidence: float | None = None,
    assert_above: float = ASSERT_ABOVE,
) -> list[str]:
    """What breaks the contract, in words; empty when it holds. Nothing is looked up (`examine.py`).

    `known_ids` are the graph records there really are (None: not checked). `confidence` below
    `assert_above`, like the answer unknown, asks for limitations and a next step.
    """
    try:
        data = _plain(contract)
    except (TypeError, ValueError) as error:
        return [f"the contract is not JSON: {error}"]
    if not _fits(data):
        return schema_errors(data)
    shape = msgspec.convert(data, _Shape)
    hedged = shape.answer == UNKNOWN or (confidence is not None and confidence < assert_above)
    return [
        *_answer_errors(shape),
        *_evidence_errors(shape, known_ids),
        *_mark_errors(shape),
        *(_silence_errors(shape) if hedged else ()),
    ]


def schema_errors(data: object) -> list[str]:
    """What the JSON schema itself says against `data`, `date-time` included, by place."""
    from jsonschema import Draft202012Validator, FormatChecker

    formats = FormatChecker(())  # the library checks date-time only with an extra installed
    formats.checks("date-time")(_is_date_time)
    validator: Any = Draft202012Validator(schema(), format_checker=formats)
    errors = sorted(validator.iter_errors(data), key=lambda e: (e.json_path, e.message))
    return [f"schema: {error.json_path}: {error.message}" for error in errors]


@cache
def schema() -> dict[str, Any]:
    """The schema as laid down."""
    return json.loads(files("quipu.answer").joinpath("contract.schema.json").read_text("utf-8"))


def cited(answer: str) -> list[int]:
    """The numbers of the citation marks in `answer`, in order; code holds none."""
    bare = CODE_SPAN.sub("`", FENCED.sub("", answer))
    return [int(n) for mark in MARK.findall(bare) for n in mark.split(",")]


def _plain(contract: Contract | Mapping[str, object]) -> object:
    return msgspec.json.decode(msgspec.json.encode(contract))


def _fits(data: object) -> bool:
    try:
        shape = msgspec.convert(data, _Shape)
    except msgspec.ValidationError:
        return False
    return _is_date_time(shape.timestamp) and (bool(shape.evidence) or shape.answer == UNKNOWN)


def _is_date_time(value: object) -> bool:
    """Whether `value`, if it is text, is an RFC 3339 date-time (leap seconds included)."""
    if not isinstance(value, str):
        return True
    match = _RFC3339.fullmatch(value)
    if match is None or (match["zone"] and match["zone"][3:] > "59"):
        return False
    try:
        start = value[: match.start("second")].upper()
        datetime.fromisoformat(f"{start}{'59' if match['second'] == '60' else match['second']}")
        return match["zone"] is None or match["zone"] < "24:00"
    except ValueError:
        return False


def _answer_errors(shape: _Shape) -> Iterator[str]:
    if not shape.answer.strip():
        yield "the answer is blank"
    if shape.evidence and shape.answer.strip().casefold().rstrip(".!") == UNKNOWN:
        yield "the answer is unknown and yet there is evidence"
    for name in ("answer", "limitations", "next_step"):
        if _CONTROL.search(getattr(shape, name)):
            yield f"{name} holds control characters"


def _evidence_errors(shape: _Shape, known_ids: Collection[str] | None) -> Iterator[str]:
    for n, item in enumerate(shape.evidence, 1):
        if not all(each.strip() for each in item.graph_ids):
            yield f"evidence {n} has a blank graph id"
        if not all(each.strip() for each in item.file_paths):
            yield f"evidence {n} has a blank path"
        if any(each.strip().casefold() == UNKNOWN for each in item.file_paths):
            yield f"evidence {n} has the path 'unknown'"
        if known_ids is None:
            continue
        for each in item.graph_ids:
            if each.strip() and each not in known_ids:
                yield f"evidence {n} names the graph id {each!r}, which does not exist"


def _mark_errors(shape: _Shape) -> Iterator[str]:
    marks = set(cited(shape.answer))
    for n in sorted(marks):
        if not 1 <= n <= len(shape.evidence):
            yield f"the mark [{n}] points at no evidence"
    for n in range(1, len(shape.evidence) + 1):
        if n not in marks:
            yield f"evidence {n} is not cited in the answer"


def _silence_errors(shape: _Shape) -> Iterator[str]:
    if not shape.limitations.strip():
        yield "limitations is blank although the answer is not asserted"
    if not shape.next_step.strip():
        yield "next_step is blank although the answer is not asserted"
