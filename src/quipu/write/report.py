"""What an indexing run did: the typed report, and the two files it leaves behind."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from quipu.records.document import Problem
from quipu.text import natural_key
from quipu.write.dropped import Dropped
from quipu.write.state_files import replace_file


class ProblemRow(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A file, by its path as people read it, and what was wrong with it."""

    path: Annotated[str, "the file, control characters escaped"]
    error: Annotated[str, "what was wrong with it"]


def in_order(rows: Iterable[ProblemRow]) -> tuple[ProblemRow, ...]:
    """Rows, each once, by path and error, their numbers as numbers: line 9 before line 10."""

    def place(row: ProblemRow) -> tuple[object, ...]:
        return natural_key(row.path), natural_key(row.error), row.path, row.error

    return tuple(sorted(set(rows), key=place))


def rows(problems: Iterable[Problem], severity: str) -> tuple[ProblemRow, ...]:
    """The problems of one severity as the report lists them, by `path:line` if one is known."""
    from quipu.read import redact  # whoever only names the report needs no reader
    from quipu.read.redact import redacted_path
    from quipu.read.source import escaped

    return in_order(
        ProblemRow(path=escaped(redacted_path(p.path)), error=redact(p.error)[0])
        for p in (each.at_line() for each in problems)
        if p.severity == severity
    )


class _Errors(msgspec.Struct, frozen=True):
    """What `index_errors.json` holds."""

    errors: tuple[ProblemRow, ...]


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of `Memory.index` found and did."""

    documents: Annotated[int, "documents held from the indexed roots afterwards"]
    chunks: Annotated[int, "passages held from them"]
    added: Annotated[tuple[str, ...], "paths of new files"]
    changed: Annotated[tuple[str, ...], "paths of files with another content"]
    removed: Annotated[tuple[str, ...], "paths of files that are gone"]
    renamed: Annotated[tuple[tuple[str, str], ...], "pairs: the old path, the new one"]
    unchanged: Annotated[int, "how many files were as before"]
    errors: Annotated[tuple[ProblemRow, ...], "files left out; what was held of them stays"]
    warnings: Annotated[tuple[ProblemRow, ...], "files that were read with a reservation"]
    redacted: Annotated[dict[str, int], "how many secrets were redacted, by kind"]
    unresolved: Annotated[int, "references whose target is not here"]
    embedded: Annotated[int, "passages that got a vector now"]
    unembedded: Annotated[int, "passages still without one"]
    sequence: Annotated[int, "the store's sequence number afterwards"]
    seconds: Annotated[float, "how long the run took"]
    embed_seconds: Annotated[float, "how much of that was embedding"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()
    extracted: Annotated[dict[str, int], "assertions of records that were written, by kind"] = {}
    refused: Annotated[dict[str, int], "what was not kept, by rule"] = {}
    credentials: Annotated[
        tuple[ProblemRow, ...],
        "files left out because they exist to hold credentials, and what they hold",
    ] = ()
    left_out: Annotated[
        dict[str, int],
        "files and folders left out by `.quipuignore` or the product's own list, by pattern, and "
        "files that a program wrote, by what they look like",
    ] = {}

    @property
    def did_something(self) -> bool:
        """Whether any file was added, changed, removed or renamed."""
        return bool(self.added or self.changed or self.removed or self.renamed)


def joined(one: IndexReport, other: IndexReport) -> IndexReport:
    """Two runs, the one after the other, as one."""
    both: dict[str, Any] = {}
    for name in IndexReport.__struct_fields__:
        before: Any = getattr(one, name)
        after: Any = getattr(other, name)
        if name in _AS_AFTER_THE_LAST:
            both[name] = after
        elif name in _COUNTED:
            both[name] = dict(sorted((Counter[str](before) + Counter[str](after)).items()))
        else:
            both[name] = before + after
    both["notes"] = tuple(dict.fromkeys(both["notes"]))
    return IndexReport(**both)


_AS_AFTER_THE_LAST = frozenset({"chunks", "unembedded", "sequence"})
_COUNTED = frozenset({"redacted", "extracted", "refused", "left_out"})


def write_report_files(
    state: Path,
    errors: Sequence[ProblemRow],
    *,
    document_count: int,
    source_sha: str,
    generated_at: str,
) -> None:
    """Write `index_metadata.json` and `index_errors.json` into `state`, each whole or not.

    `document_count` counts all indexed files, those of earlier runs included. Raises
    StoreUnavailable when the folder cannot be written.
    """
    metadata = {
        "document_count": document_count,
        "generated_at": generated_at,
        "source_sha": source_sha,
    }
    _write_json(state / "index_metadata.json", metadata)
    _write_errors(state, errors)


def _write_errors(state: Path, errors: Sequence[ProblemRow]) -> None:
    rows = [{"error": row.error, "path": row.path} for row in errors]
    _write_json(state / "index_errors.json", {"error_count": len(rows), "errors": rows})


def _write_json(path: Path, value: object) -> None:
    replace_file(path, (json.dumps(value, indent=2, sort_keys=True) + "\n").encode())


def forget_rows(state: Path, dropped: Dropped) -> None:
    """Take the rows about what is dropped out of `index_errors.json`, if it is there."""
    path = state / "index_errors.json"
    try:
        report = msgspec.json.decode(path.read_bytes(), type=_Errors)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return
    kept = [
        r for r in report.errors if not dropped.speaks_of(r.path) and not dropped.speaks_of(r.error)
    ]
    if len(kept) < len(report.errors):
        _write_errors(state, kept)
