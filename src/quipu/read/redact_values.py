"""Redaction of what is given beside a text: titles, references, properties.

A value in a table may be secret because of its key alone, so it is read as `key = "value"` too.
"""

from collections import Counter
from functools import lru_cache
from typing import cast

from quipu.read.redact import redact
from quipu.records.record import Properties, Value

__all__ = ["Redactor", "redacted_path"]


@lru_cache(maxsize=65536)
def redacted_path(path: str) -> str:
    """A path as a reference may hold it: a secret in its names is a mark, the rest as it was."""
    return redact(path)[0]


class Redactor:
    """Takes secrets out of what one source brings; `counts` says how many of each kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """`text` without its secrets."""
        clean, counts = redact(text)
        self.counts.update(counts)
        return clean

    def line(self, text: str) -> str:
        """`text` without its secrets, on as many lines as before or on one."""
        clean = self.text(text)
        return clean if "\n" in text else clean.replace("\n", "")

    def properties(self, properties: Properties) -> Properties:
        """Keys and values without their secrets, however deeply they lie."""
        return {self.line(key): self._value(key, value) for key, value in properties.items()}

    def _value(self, key: str, value: Value) -> Value:
        match value:
            case str():
                return self._named(key, value)
            case list():
                return [self._value(key, each) for each in cast(list[Value], value)]
            case dict():
                return self.properties(cast(Properties, value))
            case _:
                return value

    def _named(self, key: str, value: str) -> str:
        clean = self.text(value)
        if clean != value:
            return clean
        _, counts = redact(f'{key} = "{value}"')
        if not counts:
            return value
        self.counts.update(counts)
        return "".join(f"[redacted:{kind}]" for kind in counts)
