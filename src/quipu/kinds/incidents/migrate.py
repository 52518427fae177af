"""Other systems' incident stores taken in: what `Memory.incidents.import_arf` does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files import private
from quipu.records.document import Problem
from quipu.write.report import ProblemRow

if TYPE_CHECKING:
    from quipu.ports import Embedder, Store
    from quipu.records.progress import Progress
    from quipu.when.instants import Clock

__all__ = ["SUMMARY", "Migration", "migrate_arf", "write_summary"]

SUMMARY = "migration_summary.json"


class Migration(msgspec.Struct, frozen=True, kw_only=True):
    """What an import found and what became of it; `migration_summary.json` holds the same."""

    source: Annotated[str, "the index that was read"]
    found_texts: Annotated[int, "how many texts there are"]
    found_vectors: Annotated[int, "how many vectors there are"]
    imported: Annotated[int, "incidents that were written now"]
    unchanged: Annotated[int, "incidents that were there already"]
    success_rate: Annotated[float, "imported or there already, of the texts found"]
    unmatched_texts: Annotated[tuple[int, ...], "positions of texts without a vector"]
    unmatched_vectors: Annotated[tuple[int, ...], "positions of vectors without a text"]
    metric: Annotated[str, "the metric of the index: `l2` or `ip`"]
    space: Annotated[str, "the embedding space the vectors are in now"]
    joined: Annotated[bool, "whether that is the local model's space"]
    sample_cosine: Annotated[
        float | None, "the cosine that nine in ten of a sample embedded again reach"
    ]
    when: Annotated[str, "when the import ran"]
    errors: Annotated[tuple[ProblemRow, ...], "texts that were left out"]
    warnings: Annotated[tuple[ProblemRow, ...], "what is doubtful, or has no counterpart"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


def migrate_arf(
    store: "Store",
    folder: Path,
    *,
    embedder: "Embedder | None",
    clock: "Clock",
    progress: "Progress | None" = None,
) -> Migration:
    """Write the incidents of a v2 store with the vectors they have; again changes nothing."""
    from quipu.kinds.incidents.arf import joins, problems_of, read_arf, report_of, unit
    from quipu.kinds.incidents.model import IncidentReport
    from quipu.kinds.incidents.write import GivenVector, IncidentWriter

    found = read_arf(folder)
    joined, cosine = joins(found, embedder)
    dimension = found.vectors.shape[1]
    own = f"arf/{found.digest[:12]}/fp32/{dimension}"
    space = embedder.space if joined and embedder is not None else own
    problems = problems_of(found)
    reports: list[IncidentReport] = []
    vectors: list[GivenVector | None] = []
    for position in found.matched:
        at = f"{found.path.parent / 'incident_texts.json'}#{position}"
        try:
            report, told = report_of(found.texts[position], position, found.path.parent.as_posix())
        except InvalidInput as error:
            problems.append(Problem(at, str(error)))
            continue
        problems += [Problem(at, text, "warning") for text in told]
        reports.append(report)
        vector = unit(found.vectors[position])
        vectors.append(GivenVector(space, vector) if vector.any() else None)
    writer = IncidentWriter(store, embedder=embedder, clock=clock)
    tally = writer.add(reports, vectors=vectors, progress=progress)
    problems += [p for p in tally.problems if not p.error.startswith("timestamp: unknown")]
    done = len(tally.added) + len(tally.unchanged)
    return Migration(
        source=found.path.as_posix(),
        found_texts=len(found.texts),
        found_vectors=len(found.vectors),
        imported=len(tally.added),
        unchanged=len(tally.unchanged),
        success_rate=round(done / len(found.texts), 4) if found.texts else 1.0,
        unmatched_texts=tuple(found.unmatched_texts),
        unmatched_vectors=tuple(found.unmatched_vectors),
        metric=found.metric,
        space=space,
        joined=joined,
        sample_cosine=cosine,
        when=clock(),
        errors=_rows(problems, "error"),
        warnings=_rows(problems, "warning"),
        notes=_notes(joined, cosine, space, done),
    )


def _notes(joined: bool, cosine: float | None, space: str, done: int) -> tuple[str, ...]:
    notes = ["no time is known of these incidents: their timestamp is null"] if done else []
    if not joined:
        why = (
            "no text could be embedded again"
            if cosine is None
            else f"nine in ten reach a cosine of {cosine}"
        )
        notes.append(
            f"the vectors are not of the local model's space ({why}): they form the space "
            f"{space!r}, and words recall these incidents"
        )
    return tuple(notes)


def _rows(problems: list[Problem], severity: str) -> tuple[ProblemRow, ...]:
    rows = {(p.path, p.error) for p in problems if p.severity == severity}
    return tuple(ProblemRow(path=path, error=error) for path, error in sorted(rows))


def write_summary(migration: Migration, state: Path | None) -> None:
    """Keep the summary in the local state, if there is any."""
    if state is None:
        return
    path = state / SUMMARY
    data = msgspec.json.format(msgspec.json.encode(migration), indent=2)
    try:
        private.make_folder(state)
        private.write(path, data + b"\n")
    except OSError as error:
        raise StoreUnavailable(
            f"{str(path)!r} cannot be written: {error.strerror or error}; the import itself is done"
        ) from error
