"""The vector store of an earlier system (a FAISS index and a list of texts) into incidents: what
`Memory.incidents.import_arf` does.

`incident_vectors.index` (or `faiss_index.bin`) holds one vector a position, `incident_texts.json`
the texts: a list, or an object keyed by position. The vectors are reused, never made again. The
index is saved before the texts, so after a crash the counts may differ: what both have is taken,
the rest is listed. No time is known of any of them, and none is made up.
"""

import hashlib
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files import private
from quipu.kinds.incidents.model import (
    UNKNOWN_COMPONENT,
    IncidentReport,
    OutcomeReport,
    check_component,
    check_metric,
    unplaced_incident_id,
)
from quipu.kinds.incidents.read.postmortem import actions_in
from quipu.kinds.incidents.read.reports import grade
from quipu.kinds.incidents.write import GivenVector, IncidentWriter, problem_rows
from quipu.ports import Embedder, Store
from quipu.read.fields import slug
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.records.progress import Progress
from quipu.text import excerpt, sentences
from quipu.when.instants import Clock
from quipu.write.report import ProblemRow

__all__ = ["Migration", "migrate_arf", "write_summary"]

_INDEXES = ("incident_vectors.index", "faiss_index.bin")
_TEXTS = "incident_texts.json"
_METRICS = {b"IxF2": "l2", b"IxFI": "ip", b"IxFl": "l2"}
_HEADER = struct.Struct("<4siqqqBiQ")
"""As `faiss/impl/index_write.cpp` writes it: what it is, the dimension, how many vectors, two
numbers that say nothing, whether it is trained, how it measures, how many numbers follow."""
_MEASURES = (0, 1)  # by product, by distance: a further one has a number more in its header
_LARGEST = 4_000_000_000
_SAMPLE = 20
_AGREES = 0.98
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PARTS = re.compile(r"\b(root cause|solution)\s*:\s*", re.IGNORECASE)
_SERVICE = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)+\b")
_SPOKEN_SERVICE = re.compile(r"(?i)\b([a-z0-9]+) (service|gateway|database|queue|cache)\b")
_TITLE = 120
_SOLVED = 0.8
"""How sure it is that a solution that stands in words worked."""
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
    store: Store,
    folder: Path,
    *,
    embedder: Embedder | None,
    clock: Clock,
    progress: Progress | None = None,
) -> Migration:
    """Write the incidents of a v2 store with the vectors they have; again changes nothing."""
    found = _read_arf(folder)
    joined, cosine = _joins(found, embedder)
    space = f"arf/{found.digest[:12]}/fp32/{found.vectors.shape[1]}"
    if joined and embedder is not None:
        space = embedder.space
    at_vectors = set(range(len(found.vectors)))
    unmatched = {
        "texts have no vector": sorted(found.texts.keys() - at_vectors),
        "vectors have no text": sorted(at_vectors - found.texts.keys()),
    }
    problems = [
        Problem(
            str(found.path), f"{len(at)} {what} ({_span(at)}): they stay where they are", "warning"
        )
        for what, at in unmatched.items()
        if at
    ]
    reports: list[IncidentReport] = []
    vectors: list[GivenVector | None] = []
    for position in found.matched:
        at = f"{found.path.parent / _TEXTS}#{position}"
        warnings: list[str] = []
        try:
            reports.append(_report_of(found.texts[position], position, found.path.parent, warnings))
        except InvalidInput as error:
            problems.append(Problem(at, str(error)))
            continue
        problems += [Problem(at, text, "warning") for text in warnings]
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
        unmatched_texts=tuple(unmatched["texts have no vector"]),
        unmatched_vectors=tuple(unmatched["vectors have no text"]),
        metric=found.metric,
        space=space,
        joined=joined,
        sample_cosine=cosine,
        when=clock(),
        errors=problem_rows(problems, "error"),
        warnings=problem_rows(problems, "warning"),
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


class ArfStore(NamedTuple):
    """What was found: texts by position, vectors float32[n, d] as they lie in the index."""

    path: Path
    texts: dict[int, Any]
    vectors: NDArray[np.float32]
    metric: str
    digest: str

    @property
    def matched(self) -> list[int]:
        """Positions that have both."""
        return sorted(self.texts.keys() & set(range(len(self.vectors))))


def _read_arf(folder: Path) -> ArfStore:
    """The store in `folder` or its `data/`; InvalidInput when a file is missing, cut or foreign."""
    places = (folder, folder / "data")
    index = next((p / name for p in places for name in _INDEXES if (p / name).is_file()), None)
    texts = next((p / _TEXTS for p in places if (p / _TEXTS).is_file()), None)
    if index is None or texts is None:
        missing = " and ".join(
            name for name, found in ((" or ".join(_INDEXES), index), (_TEXTS, texts)) if not found
        )
        raise InvalidInput(f"{str(folder)!r} has no {missing}, nor has its folder data/")
    vectors, metric, digest = _vectors(index)
    return ArfStore(index, _texts(texts), vectors, metric, digest)


def _vectors(path: Path) -> tuple[NDArray[np.float32], str, str]:
    """The rows of a flat index. Its header is checked before anything is allocated."""
    data = read_whole(path, max_bytes=_LARGEST)
    if len(data) < _HEADER.size:
        raise InvalidInput(f"{str(path)!r} is cut: it has {len(data)} bytes and no whole header")
    magic, dimension, count, _, _, _, measure, numbers = _HEADER.unpack(data[: _HEADER.size])
    if magic not in _METRICS:
        raise InvalidInput(
            f"{str(path)!r} is no flat FAISS index: it begins with {magic!r}, IxF2 or IxFI is "
            "expected"
        )
    if not (0 < dimension <= 65_536 and count >= 0 and measure in _MEASURES):
        raise InvalidInput(f"{str(path)!r} is damaged: {count} vectors of {dimension} numbers")
    needed = count * dimension * 4
    if len(data) < _HEADER.size + needed:
        raise InvalidInput(
            f"{str(path)!r} is cut: {count} vectors of {dimension} numbers need {needed:,} bytes, "
            f"it has {len(data):,}"
        )
    if numbers * 4 != needed:
        raise InvalidInput(f"{str(path)!r} is damaged: it says that {numbers} numbers follow")
    rows = np.frombuffer(data, "<f4", count=numbers, offset=_HEADER.size)
    return rows.reshape(count, dimension), _METRICS[magic], hashlib.sha256(data).hexdigest()


def _texts(path: Path) -> dict[int, Any]:
    """Texts by position."""
    try:
        content = msgspec.json.decode(read_whole(path, max_bytes=_LARGEST))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{str(path)!r} is cut or no JSON: {error}") from error
    if isinstance(content, list):
        return dict(enumerate(cast(list[Any], content)))
    if not isinstance(content, dict):
        raise InvalidInput(f"{str(path)!r} is neither a list of texts nor an object of them")
    found: dict[int, Any] = {}
    for key, text in cast(dict[str, Any], content).items():
        if not key.isdecimal():
            raise InvalidInput(f"{str(path)!r}: key {key!r} is no position: keys count from 0")
        found[int(key)] = text
    return found


def _joins(store: ArfStore, embedder: Embedder | None) -> tuple[bool, float | None]:
    """Whether the vectors belong to the embedder's space, and the cosine that nine in ten of a
    sample of texts that were embedded again reach; None when none could be compared. A blank text
    or a vector of zeros says nothing of the space."""
    usable = [at for at in store.matched if _has_text(store.texts[at])]
    usable = [at for at in usable if np.any(unit(store.vectors[at]))]
    if embedder is None or not usable or store.vectors.shape[1] != embedder.dimension:
        return False, None
    step = max(1, len(usable) // _SAMPLE)
    sample = usable[::step][:_SAMPLE]
    made = embedder.embed([store.texts[at] for at in sample])
    given = np.stack([unit(store.vectors[at]) for at in sample])
    reached = float(np.quantile(np.sum(made * given, axis=1), 0.1, method="lower"))
    return reached >= _AGREES, round(reached, 4)


def _has_text(text: object) -> bool:
    """Whether an entry of the texts says anything."""
    return isinstance(text, str) and bool(text.strip())


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector at length 1; zero where it is zero or not finite."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        return np.zeros_like(vector)
    return (vector / length).astype(np.float32)


def _span(positions: list[int]) -> str:
    first, last = positions[0], positions[-1]
    return f"position {first}" if first == last else f"positions {first} to {last}"


def _report_of(text: Any, position: int, source: Path, warnings: list[str]) -> IncidentReport:
    """The report that one text makes.

    `component latency error_rate analysis`, where a numeric fourth word makes it `component
    latency error_rate throughput severity`; anything else is prose with `Root cause:` and
    `Solution:`. Raises InvalidInput for what is no text.
    """
    if not _has_text(text):
        raise InvalidInput(f"text {text!r} at position {position} is no text")
    words = text.split(None, 3)
    numeric = len(words) > 2 and all(map(_NUMBER.fullmatch, words[1:3]))
    fields = {
        **(_runtime(words, warnings) if numeric else _prose(text)),
        "source": f"arf:{position}",
        "pointer": f"{source.as_posix()}#{position}",
        "tags": ["imported"],
        "embedding_id": position,
        "incident_id": unplaced_incident_id("arf", position, text),
    }
    return msgspec.convert(fields, IncidentReport)


def _runtime(words: Sequence[str], warnings: list[str]) -> dict[str, Any]:
    measured = {"latency_p99": words[1], "error_rate": words[2]}
    rest = words[3] if len(words) > 3 else ""
    number, _, word = rest.partition(" ")
    severity, written = None, ""
    if _NUMBER.fullmatch(number):
        measured["throughput"] = number
        severity, written = grade(warnings, word.strip())
        rest = "" if severity else word.strip()
    metrics: dict[str, float] = {}
    for name, value in measured.items():
        try:
            metrics[name] = check_metric(name, value)
        except InvalidInput as error:
            warnings.append(str(error))
    return {
        "component": _component(words[0], warnings),
        "metrics": metrics,
        "severity": severity and str(severity),
        "source_severity": written,
        "summary": rest,
    }


def _component(written: str, warnings: list[str]) -> str:
    try:
        return check_component(written)
    except InvalidInput as error:
        component = slug(written) or UNKNOWN_COMPONENT
        warnings.append(f"{error}; kept as {component!r}")
        return component


def _prose(text: str) -> dict[str, Any]:
    """A text in words: what it is about, the cause, what was done."""
    pieces = _PARTS.split(text)
    named = {
        key.casefold(): value.strip() for key, value in zip(pieces[1::2], pieces[2::2], strict=True)
    }
    service, spoken = _SERVICE.search(text.lower()), _SPOKEN_SERVICE.search(text)
    component = service.group() if service else slug(" ".join(spoken.groups())) if spoken else ""
    solution = named.get("solution", "")
    done = actions_in(solution)
    attempt = OutcomeReport(
        actions_taken=done or (solution,),
        success=True,
        lessons_learned=solution if done else "",
        confidence=_SOLVED,
    )
    summary = pieces[0].strip()
    title = excerpt(next((summary[a:b] for a, b in sentences(summary)), ""), limit=_TITLE)
    return {
        "component": component or UNKNOWN_COMPONENT,
        "title": title,
        "summary": "" if summary.rstrip(".") == title.rstrip(".") else summary,
        "root_cause": named.get("root cause", ""),
        "outcomes": [msgspec.to_builtins(attempt)] if solution else [],
    }
