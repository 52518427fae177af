"""A file from elsewhere may hold secrets that an export of ours would not."""

import dataclasses
from typing import Any

import msgspec

from quipu.read import redact
from quipu.read.redact_values import Redactor
from quipu.records.batch import Period

__all__ = ["redacted"]

_PACKED = "references"
"""A property of ours that is no text: it is made from what was redacted."""


def redacted(period: Period) -> Period:
    """The period with its record's texts redacted; ids and dates hold no secrets."""
    plain: dict[str, Any] = msgspec.to_builtins(period.record)
    if not redact(msgspec.json.encode(plain).decode())[1]:
        return period  # by far the most: one pass over all of it
    redactor = Redactor()
    clean = redactor.properties(plain)
    kept = plain.get("properties", {}).get(_PACKED)
    properties = clean.get("properties")
    if kept is not None and isinstance(properties, dict):
        properties[_PACKED] = kept
    record = msgspec.convert(clean, type(period.record))
    return dataclasses.replace(period, record=record)
