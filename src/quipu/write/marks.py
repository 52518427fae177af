"""Where runs left off, in the local state: hints that save work, never truth.

A mark that is lost costs one run the work it would have saved.
"""

from pathlib import Path

import msgspec

from quipu.write.state_files import replace_file

_FILE = "marks.json"


class Mark(msgspec.Struct, frozen=True):
    """What the store looked like when all references were last resolved."""

    fingerprint: str
    unresolved: int


class Marks:
    """The mark of one store and namespace; without local state nothing is kept."""

    def __init__(self, state: Path | None, key: str) -> None:
        self._path = state / _FILE if state else None
        self._key = key

    def get(self) -> Mark | None:
        """The mark, if there is one."""
        return self._read().get(self._key)

    def set(self, mark: Mark) -> None:
        """Keep `mark`; other stores' marks stay."""
        if self._path is None:
            return
        marks = {**self._read(), self._key: mark}
        replace_file(self._path, msgspec.json.encode(marks, order="deterministic"))

    def _read(self) -> dict[str, Mark]:
        try:
            data = self._path.read_bytes() if self._path else b"{}"
            return msgspec.json.decode(data, type=dict[str, Mark])
        except (OSError, UnicodeDecodeError, msgspec.DecodeError):
            return {}
