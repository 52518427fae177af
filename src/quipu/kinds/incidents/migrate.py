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
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    METRICS,
    UNKNOWN_COMPONENT,
    IncidentReport,
    component_of,
    severity_of,
    unplaced_incident_id,
)
from quipu.kinds.incidents.postmortem import actions_in
from quipu.kinds.incidents.read import read_rows
from quipu.kinds.incidents.write import GivenVector, IncidentWriter
from quipu.limits import LARGEST_EXPORT, LONGEST_TITLE
from quipu.ports import Embedder, Progress, Store
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.text import excerpt, sentences
from quipu.when.instants import Clock
from quipu.write.report import ProblemRow, rows
from quipu.write.state_files import replace_file

__all__ = ["Migration", "migrate_arf", "write_summary"]

Vectors = NDArray[np.float32]

_INDEXES = ("incident_vectors.index", "faiss_index.bin")
_TEXTS = "incident_texts.json"
_METRICS = {b"IxF2": "l2", b"IxFI": "ip", b"IxFl": "l2"}
_HEADER = struct.Struct("<4siqqqBiQ")
"""As `faiss/impl/index_write.cpp` writes it: what it is, the dimension, how many vectors, two
numbers that say nothing, whether it is trained, how it measures, how many numbers follow."""
_SAMPLE = 20
_AGREES = 0.98
"""The cosine that nine in ten of a sample reach whose vectors are of the local model's space."""
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_MEASURED = re.compile(
    rf"\s*(?P<component>\S+)\s+(?P<latency_p99>{_NUMBER})\s+(?P<error_rate>{_NUMBER})"
    rf"(?:\s+(?P<throughput>{_NUMBER}))?(?P<rest>(?:\s.*)?)",
    re.DOTALL,
)
_PARTS = re.compile(r"\b(root cause|solution)\s*:\s*", re.IGNORECASE)
_SERVICE = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)+\b")
_SOLVED = 0.8
"""How sure it is that a solution that stands in words worked."""


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
    index, texts_at = _found(folder, _INDEXES), _found(folder, (_TEXTS,))
    vectors, metric, digest = _vectors(index)
    texts = _texts(texts_at)
    cosine = _sampled(texts, vectors, embedder)
    joined = cosine is not None and cosine >= _AGREES
    space = f"arf/{digest[:12]}/fp32/{vectors.shape[1]}"
    if embedder is not None and joined:
        space = embedder.space
    bare = sorted(texts.keys() - range(len(vectors)))
    spare = sorted({*range(len(vectors))} - texts.keys())
    problems = [
        Problem(str(index), f"{len(at)} {what}, from position {at[0]}: they stay there", "warning")
        for at, what in ((bare, "texts have no vector"), (spare, "vectors have no text"))
        if at
    ]
    reports: list[IncidentReport] = []
    given: list[GivenVector | None] = []
    for position in sorted(texts.keys() & range(len(vectors))):
        read = read_rows([(f"{texts_at}#{position}", _record(texts[position], position, index))])
        problems += read.problems
        reports += read.reports
        vector = GivenVector(space, vectors[position]) if vectors[position].any() else None
        given += [vector for _ in read.reports]
    writer = IncidentWriter(store, embedder=embedder, clock=clock)
    tally = writer.add(reports, vectors=given, progress=progress)
    problems += [p for p in tally.problems if not p.error.startswith("timestamp: unknown")]
    done = len(tally.added) + len(tally.unchanged)
    notes = ["no time is known of these incidents: their timestamp is null"] if done else []
    if not joined:
        notes.append(
            f"the vectors are not of the local model's space (cosine {cosine} in nine of ten): "
            f"they form the space {space!r}, and words recall these incidents"
        )
    return Migration(
        source=index.as_posix(),
        found_texts=len(texts),
        found_vectors=len(vectors),
        imported=len(tally.added),
        unchanged=len(tally.unchanged),
        success_rate=round(done / len(texts), 4) if texts else 1.0,
        unmatched_texts=tuple(bare),
        unmatched_vectors=tuple(spare),
        metric=metric,
        space=space,
        joined=joined,
        sample_cosine=cosine,
        when=clock(),
        errors=rows(problems, "error"),
        warnings=rows(problems, "warning"),
        notes=tuple(notes),
    )


def write_summary(migration: Migration, state: Path | None) -> None:
    """Keep the summary in the local state, if there is any."""
    if state is not None:
        told = msgspec.json.format(msgspec.json.encode(migration), indent=2) + b"\n"
        replace_file(state / "migration_summary.json", told)


def _found(folder: Path, names: tuple[str, ...]) -> Path:
    """The first of these files in `folder` or its `data/`."""
    for path in (place / name for place in (folder, folder / "data") for name in names):
        if path.is_file():
            return path
    raise InvalidInput(f"{str(folder)!r} has no {' or '.join(names)}, nor has its folder data/")


def _vectors(path: Path) -> tuple[Vectors, str, str]:
    """The rows of a flat index at length 1, zero where they are zero or not finite; how it
    measures; its digest. Its header is checked before anything is allocated."""
    data = read_whole(path, max_bytes=LARGEST_EXPORT)
    if data[:4] and data[:4] not in _METRICS:
        raise InvalidInput(
            f"{str(path)!r} is no flat FAISS index: it begins with {data[:4]!r}, IxF2 or IxFI is "
            "expected"
        )
    if len(data) < _HEADER.size:
        raise InvalidInput(f"{str(path)!r} is cut: it has {len(data)} bytes and no whole header")
    magic, dimension, count, _, _, _, _, numbers = _HEADER.unpack(data[: _HEADER.size])
    needed = count * dimension
    if dimension < 1 or count < 0 or numbers != needed or len(data) < _HEADER.size + 4 * needed:
        raise InvalidInput(
            f"{str(path)!r} is cut or damaged: it says that it has {count} vectors of {dimension} "
            f"numbers, {numbers} in all, and has {len(data):,} bytes"
        )
    flat = np.frombuffer(data, "<f4", count=numbers, offset=_HEADER.size)
    rows = np.nan_to_num(flat.reshape(count, dimension), posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit, _METRICS[magic], hashlib.sha256(data).hexdigest()


def _texts(path: Path) -> dict[int, Any]:
    """Texts by position."""
    try:
        content = msgspec.json.decode(read_whole(path, max_bytes=LARGEST_EXPORT))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{str(path)!r} is cut or no JSON: {error}") from error
    if isinstance(content, list):
        return dict(enumerate(cast(list[Any], content)))
    if not isinstance(content, dict):
        raise InvalidInput(f"{str(path)!r} is neither a list of texts nor an object of them")
    named = cast(dict[str, Any], content)
    if (bad := next((key for key in named if not key.isdecimal()), None)) is not None:
        raise InvalidInput(f"{str(path)!r}: key {bad!r} is no position: keys count from 0")
    return {int(key): text for key, text in named.items()}


def _sampled(texts: dict[int, Any], vectors: Vectors, embedder: Embedder | None) -> float | None:
    """The cosine that nine in ten of a sample of texts that were embedded again reach; None when
    none could be compared."""
    usable = [at for at in sorted(texts) if at < len(vectors) and _says(texts[at])]
    usable = [at for at in usable if vectors[at].any()]
    if embedder is None or not usable or vectors.shape[1] != embedder.dimension:
        return None
    sample = usable[:: max(1, len(usable) // _SAMPLE)][:_SAMPLE]
    made = embedder.embed([texts[at] for at in sample])
    cosines = np.sum(made * vectors[sample], axis=1)
    return round(float(np.quantile(cosines, 0.1, method="lower")), 4)


def _says(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _record(text: Any, position: int, index: Path) -> object:
    """A text in our own words: `component latency error_rate [throughput severity] analysis`, or
    prose with `Root cause:` and `Solution:`. What is no text is a problem."""
    if not _says(text):
        return Problem(f"{_TEXTS}#{position}", f"text {text!r} at position {position} is no text")
    return {
        **(_measured(text) or _told(text)),
        "source": f"arf:{position}",
        "pointer": f"{index.as_posix()}#{position}",
        "tags": ["imported"],
        "embedding_id": position,
        "incident_id": unplaced_incident_id("arf", position, text),
    }


def _measured(text: str) -> dict[str, Any] | None:
    """What a line of numbers says; None for another text."""
    line = _MEASURED.fullmatch(text)
    if line is None:
        return None
    component, extra = component_of({"": line["component"], " ": UNKNOWN_COMPONENT})
    rest = line["rest"].strip()
    graded = bool(line["throughput"] and severity_of(rest))
    return {
        **extra,
        "component": component,
        "metrics": {name: line[name] for name in METRICS[:3] if line[name]},
        "severity" if graded else "summary": rest,
    }


def _told(text: str) -> dict[str, Any]:
    """What a text in words says: what it is about, the cause, what was done."""
    summary, *pieces = map(str.strip, _PARTS.split(text))
    named = dict(zip(map(str.casefold, pieces[::2]), pieces[1::2], strict=True))
    service = _SERVICE.search(text.lower())
    solution = named.get("solution", "")
    done = actions_in(solution)
    attempt = {
        "actions_taken": [*done] or [solution],
        "success": True,
        "lessons_learned": solution if done else "",
        "confidence": _SOLVED,
    }
    title = excerpt(next((summary[a:b] for a, b in sentences(summary)), ""), limit=LONGEST_TITLE)
    return {
        "component": service.group() if service else UNKNOWN_COMPONENT,
        "title": title,
        "summary": "" if summary.rstrip(".") == title.rstrip(".") else summary,
        "root_cause": named.get("root cause", ""),
        "outcomes": [attempt] if solution else [],
    }
