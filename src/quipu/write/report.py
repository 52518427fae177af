"""What an indexing run did: the typed report, and the two files it leaves behind."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from quipu.write.dropped import Dropped
from quipu.write.state_files import replace_file


class ProblemRow(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A file, by its path as people read it, and what was wrong with it."""

    path: str
    error: str


class _Errors(msgspec.Struct, frozen=True):
    """What `index_errors.json` holds."""

    errors: tuple[ProblemRow, ...]


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of `Memory.index` found and did.

    `documents` and `chunks` count what the store holds from the indexed roots afterwards; the
    lists of paths say what changed. `errors` are files that were left out (what the store held
    of them stays), `warnings` files read with a reservation. `redacted` counts secrets by kind,
    `unresolved` the references without a target. `extracted` counts the assertions of facts,
    entities and relations that were written, `refused` what was not kept, by rule. `credentials`
    are files that were left out because they exist to hold some, and what they hold. `embedded`
    counts passages that got a vector now, `unembedded` those still without one.
    """

    documents: int
    chunks: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    unchanged: int
    errors: tuple[ProblemRow, ...]
    warnings: tuple[ProblemRow, ...]
    redacted: dict[str, int]
    unresolved: int
    embedded: int
    unembedded: int
    sequence: int
    seconds: float
    embed_seconds: float
    notes: tuple[str, ...] = ()
    extracted: dict[str, int] = {}
    refused: dict[str, int] = {}
    credentials: tuple[ProblemRow, ...] = ()

    @property
    def did_something(self) -> bool:
        """Whether any file was added, changed, removed or renamed."""
        return bool(self.added or self.changed or self.removed or self.renamed)


def joined(one: IndexReport, other: IndexReport) -> IndexReport:
    """Two runs, the one after the other, as one."""
    return IndexReport(
        documents=one.documents + other.documents,
        chunks=other.chunks,
        added=one.added + other.added,
        changed=one.changed + other.changed,
        removed=one.removed + other.removed,
        renamed=one.renamed + other.renamed,
        unchanged=one.unchanged + other.unchanged,
        errors=one.errors + other.errors,
        warnings=one.warnings + other.warnings,
        redacted=_summed(one.redacted, other.redacted),
        unresolved=one.unresolved + other.unresolved,
        embedded=one.embedded + other.embedded,
        unembedded=other.unembedded,
        sequence=other.sequence,
        seconds=one.seconds + other.seconds,
        embed_seconds=one.embed_seconds + other.embed_seconds,
        notes=tuple(dict.fromkeys(one.notes + other.notes)),
        extracted=_summed(one.extracted, other.extracted),
        refused=_summed(one.refused, other.refused),
        credentials=one.credentials + other.credentials,
    )


def _summed(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in sorted({*one, *other})}


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
        held = msgspec.json.decode(path.read_bytes(), type=_Errors)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return
    kept = [
        r for r in held.errors if not dropped.speaks_of(r.path) and not dropped.speaks_of(r.error)
    ]
    if len(kept) < len(held.errors):
        _write_errors(state, kept)
