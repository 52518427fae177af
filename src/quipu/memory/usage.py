"""The usage log: what was asked of the memory, for whoever runs it. Off unless it is switched on.

One JSON object a line in `.quipu/usage.jsonl`: `ts, query, top_k, filters, use_graph`. It stays on
this machine, secrets are redacted, nobody else may read the file, and it is bounded: a full file
becomes `usage.jsonl.1` in place of the one before. Forgetting anything erases both, since a
question may hold what was forgotten.
"""

import os
from pathlib import Path

import msgspec

from quipu.records.scope import EVERYTHING, Scope

__all__ = ["UsageLog"]

_NAME = "usage.jsonl"
_LONGEST = 2_000


class UsageLog:
    """The log in one state folder; without a folder there is none."""

    def __init__(self, state: Path | None, *, max_bytes: int) -> None:
        """Of `max_bytes` each of the two files holds at most the half."""
        self._file = state / _NAME if state else None
        self._most = max_bytes // 2

    def write(
        self, query: str, *, now: str, top_k: int, scope: Scope, use_graph: bool
    ) -> tuple[str, ...]:
        """Add a line; () or, where it cannot be written, a note that says why: no question fails
        for its log."""
        if self._file is None:
            return ()
        from quipu.read import redact  # dear to import, and seldom needed

        said = {
            "ts": now,
            "query": redact(query[:_LONGEST])[0],
            "top_k": top_k,
            "filters": _filters(scope),
            "use_graph": use_graph,
        }
        line = msgspec.json.encode(said) + b"\n"
        try:
            self._make_room(self._file, len(line))
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(self._file, flags, 0o600)
            with open(descriptor, "ab", buffering=0) as stream:  # noqa: PTH123 - a descriptor
                stream.write(line)
        except OSError as error:
            return (f"the usage log cannot be written ({error.strerror or error})",)
        return ()

    def erase(self) -> None:
        """Take away all of it."""
        if self._file is not None:
            for file in (self._file, _older(self._file)):
                file.unlink(missing_ok=True)

    def _make_room(self, file: Path, wanted: int) -> None:
        try:
            size = file.stat().st_size
        except FileNotFoundError:
            return
        if size and size + wanted > self._most:
            file.replace(_older(file))


def _older(file: Path) -> Path:
    return file.with_name(f"{file.name}.1")


def _filters(scope: Scope) -> dict[str, object]:
    """What bounds the search, by name; sets as sorted lists, what bounds nothing left out."""
    held: dict[str, object] = msgspec.to_builtins(scope, order="deterministic")
    bare: dict[str, object] = msgspec.to_builtins(EVERYTHING)
    return {name: value for name, value in held.items() if value != bare[name]}
