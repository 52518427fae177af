"""Tables of cases that are kept as data: a line of JSON a case, beside the tests that read them."""

import json
from pathlib import Path
from typing import Any

__all__ = ["rows"]


def rows(place: str, name: str) -> list[Any]:
    """The cases of `name` in the file `data/NAME.jsonl` beside the test file `place`."""
    text = (Path(place).parent / "data" / f"{name}.jsonl").read_text("utf-8")
    return [_frozen(json.loads(line)) for line in text.splitlines()]


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
