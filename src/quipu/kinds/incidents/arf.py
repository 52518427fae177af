"""The vector store of an earlier system (a FAISS index and a list of texts) into incidents.

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
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    IncidentReport,
    OutcomeReport,
    check_component,
    check_metric,
    severity_of,
    unplaced_incident_id,
)
from quipu.kinds.incidents.read.tried import actions_in
from quipu.ports import Embedder
from quipu.records.document import Problem
from quipu.text import excerpt, sentences

__all__ = ["ArfStore", "is_told", "joins", "read_arf", "report_of"]

_INDEXES = ("incident_vectors.index", "faiss_index.bin")
_TEXTS = "incident_texts.json"
_METRICS = {b"IxF2": "l2", b"IxFI": "ip", b"IxFl": "l2"}
_HEADER = struct.Struct("<4siqqqBi")
_LARGEST = 4_000_000_000
_SAMPLE = 20
_AGREES = 0.98
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PARTS = re.compile(r"\b(root cause|solution)\s*:\s*", re.IGNORECASE)
_SERVICE = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)+\b")
_SPOKEN_SERVICE = re.compile(r"(?i)\b([a-z0-9]+) (service|gateway|database|queue|cache)\b")
_UNKNOWN = "unknown"
_TITLE = 120
_SOLVED = 0.8
"""How sure it is that a solution that stands in words worked."""


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
        return [at for at in sorted(self.texts) if 0 <= at < len(self.vectors)]

    @property
    def unmatched_texts(self) -> list[int]:
        """Positions of texts without a vector."""
        return [at for at in sorted(self.texts) if not 0 <= at < len(self.vectors)]

    @property
    def unmatched_vectors(self) -> list[int]:
        """Positions of vectors without a text."""
        return [at for at in range(len(self.vectors)) if at not in self.texts]


def read_arf(folder: Path) -> ArfStore:
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
    import faiss  # pyright: ignore[reportMissingTypeStubs]  # ships none

    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise InvalidInput(f"{str(path)!r} is larger than {_LARGEST:,} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    if len(data) < _HEADER.size:
        raise InvalidInput(f"{str(path)!r} is cut: it has {len(data)} bytes and no whole header")
    magic, dimension, count, *_ = _HEADER.unpack(data[: _HEADER.size])
    if magic not in _METRICS:
        raise InvalidInput(
            f"{str(path)!r} is no flat FAISS index: it begins with {magic!r}, IxF2 or IxFI is "
            "expected"
        )
    if not (0 < dimension <= 65_536 and count >= 0):
        raise InvalidInput(f"{str(path)!r} is damaged: {count} vectors of {dimension} numbers")
    needed = count * dimension * 4
    if len(data) < _HEADER.size + needed:
        raise InvalidInput(
            f"{str(path)!r} is cut: {count} vectors of {dimension} numbers need {needed:,} bytes, "
            f"it has {len(data):,}"
        )
    try:
        index = cast(Any, faiss).deserialize_index(np.frombuffer(data, dtype=np.uint8))
        rows = (
            cast(NDArray[np.float32], index.reconstruct_n(0, count))
            if count
            else np.zeros((0, dimension), dtype=np.float32)
        )
    except (RuntimeError, MemoryError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read as a FAISS index: {error}") from error
    return rows, _METRICS[magic], hashlib.sha256(data).hexdigest()


def _texts(path: Path) -> dict[int, Any]:
    """Texts by position."""
    try:
        held = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{str(path)!r} is cut or no JSON: {error}") from error
    if isinstance(held, list):
        return dict(enumerate(cast(list[Any], held)))
    if not isinstance(held, dict):
        raise InvalidInput(f"{str(path)!r} is neither a list of texts nor an object of them")
    found: dict[int, Any] = {}
    for key, text in cast(dict[str, Any], held).items():
        if not key.isdecimal():
            raise InvalidInput(f"{str(path)!r}: key {key!r} is no position: keys count from 0")
        found[int(key)] = text
    return found


def joins(store: ArfStore, embedder: Embedder | None) -> tuple[bool, float | None]:
    """Whether the vectors belong to the embedder's space, and the cosine that nine in ten of a
    sample of texts that were embedded again reach; None when none could be compared. A blank text
    or a vector of zeros says nothing of the space."""
    usable = [at for at in store.matched if is_told(store.texts[at])]
    usable = [at for at in usable if np.any(unit(store.vectors[at]))]
    if embedder is None or not usable or store.vectors.shape[1] != embedder.dimension:
        return False, None
    step = max(1, len(usable) // _SAMPLE)
    sample = usable[::step][:_SAMPLE]
    made = embedder.embed([store.texts[at] for at in sample])
    given = np.stack([unit(store.vectors[at]) for at in sample])
    reached = float(np.quantile(np.sum(made * given, axis=1), 0.1, method="lower"))
    return reached >= _AGREES, round(reached, 4)


def is_told(text: object) -> bool:
    """Whether an entry of the texts says anything."""
    return isinstance(text, str) and bool(text.strip())


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector at length 1; zero where it is zero or not finite."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        return np.zeros_like(vector)
    return (vector / length).astype(np.float32)


def report_of(text: Any, position: int, source: str) -> tuple[IncidentReport, list[str]]:
    """The report that one text makes, and what could not be used of it.

    `component latency error_rate analysis`, where a numeric fourth word makes it `component
    latency error_rate throughput severity`; anything else is prose with `Root cause:` and
    `Solution:`. Raises InvalidInput for what is no text.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(f"text {text!r} at position {position} is no text")
    told: list[str] = []
    words = text.split(None, 3)
    numeric = len(words) > 2 and all(_NUMBER.fullmatch(word) for word in words[1:3])
    fields = _runtime(words, told) if numeric else _prose(text)
    report = msgspec.convert(
        {
            **fields,
            "source": f"arf:{position}",
            "pointer": f"{source}#{position}",
            "tags": ["imported"],
            "embedding_id": position,
            "incident_id": unplaced_incident_id("arf", position, text),
        },
        IncidentReport,
    )
    return report, told


def _runtime(words: Sequence[str], told: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"component": _component(words[0], told)}
    metrics: dict[str, float] = {}
    rest = words[3] if len(words) > 3 else ""
    measured = [("latency_p99", words[1]), ("error_rate", words[2])]
    tail = rest.split(None, 1)
    if tail and _NUMBER.fullmatch(tail[0]):
        measured.append(("throughput", tail[0]))
        rest = ""
        if len(tail) > 1:
            try:
                fields["severity"] = str(severity_of(tail[1]))
                fields["source_severity"] = tail[1]
            except InvalidInput as error:
                told.append(str(error))
                rest = tail[1]
    for name, written in measured:
        try:
            metrics[name] = check_metric(name, float(written))
        except InvalidInput as error:
            told.append(str(error))
    return {**fields, "metrics": metrics, "summary": rest}


def _component(written: str, told: list[str]) -> str:
    try:
        return check_component(written)
    except InvalidInput as error:
        slug = re.sub(r"[^a-z0-9]+", "-", written.lower()).strip("-")[:255]
        told.append(f"{error}; kept as {slug or _UNKNOWN!r}")
        return slug or _UNKNOWN


def _prose(text: str) -> dict[str, Any]:
    """A text in words: what it is about, the cause, what was done."""
    pieces = _PARTS.split(text)
    named = {
        key.casefold(): value.strip() for key, value in zip(pieces[1::2], pieces[2::2], strict=True)
    }
    service = _SERVICE.search(text.lower())
    spoken = _SPOKEN_SERVICE.search(text)
    component = service.group() if service else _UNKNOWN
    if not service and spoken:
        component = f"{spoken[1]}-{spoken[2]}".lower()
    solution = named.get("solution", "")
    outcomes = [
        OutcomeReport(
            actions_taken=done or (solution,),
            success=True,
            lessons_learned=solution if done else "",
            confidence=_SOLVED,
        )
        for done in ([actions_in(solution)] if solution else [])
    ]
    told = pieces[0].strip()
    title = excerpt(next((told[a:b] for a, b in sentences(told)), ""), limit=_TITLE)
    return {
        "component": component,
        "title": title,
        "summary": "" if told.rstrip(".") == title.rstrip(".") else told,
        "root_cause": named.get("root cause", ""),
        "outcomes": msgspec.to_builtins(outcomes),
    }


def problems_of(store: ArfStore) -> list[Problem]:
    """What has no counterpart, a row a side."""
    found: list[Problem] = []
    for what, other, rows in (
        ("texts", "vector", store.unmatched_texts),
        ("vectors", "text", store.unmatched_vectors),
    ):
        if rows:
            at = f"{rows[0]}" if len(rows) == 1 else f"{rows[0]} to {rows[-1]}"
            text = f"{len(rows)} {what} have no {other} (positions {at}): they stay where they are"
            found.append(Problem(str(store.path), text, "warning"))
    return found
