"""Whether the evidence of an answer is really there: every path, id, excerpt and hash looked up.

`check` (`contract.py`) reads a contract; this looks, and `borne` compares its sentences with what
they cite. A path is a source of the store or a file of the home folder, an excerpt stands in it, a
hash is that of the source as it is now, and the graph ids are live records.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec

from quipu.answer.borne import BearingSource, SentenceCheck, borne
from quipu.answer.contract import ASSERT_ABOVE, UNKNOWN, check, schema_errors
from quipu.ports import Planner
from quipu.records.record import Episode
from quipu.records.reply import EvidenceItem, Reply

__all__ = ["Disk", "EvidenceCheck", "Examined", "OnDisk", "examine", "violations"]

_SPACE = re.compile(r"\s+")
_LINES = re.compile(r"(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)$")


class OnDisk(NamedTuple):
    """A file of the home folder: its text, and the hashes it may be cited by."""

    text: str
    shas: tuple[str, ...]


Disk = Callable[[str], OnDisk | None]
"""Gives a file of the home folder by its path from there; None where there is none."""


class EvidenceCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of evidence: `n` is its number in the answer, `errors` say what is not there."""

    n: Annotated[int, "its number in the answer"]
    ok: Annotated[bool, "whether all that it names is there"]
    graph_ids: Annotated[tuple[str, ...], "as given"]
    file_paths: Annotated[tuple[str, ...], "as given"]
    errors: Annotated[tuple[str, ...], "what is not there, or not so"]


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a contract holds: what breaks it as a whole, how each piece of evidence is, and
    whether it says what each sentence of the answer says."""

    ok: Annotated[bool, "whether the contract holds (else exit code 1)"]
    errors: Annotated[tuple[str, ...], "what breaks it as a whole, in words"]
    evidence: Annotated[tuple[EvidenceCheck, ...], "each piece of evidence, looked up"]
    sentences: Annotated[
        tuple[SentenceCheck, ...], "each sentence of the answer, compared with what it cites"
    ]


class _KnownPath(NamedTuple):
    """What is known of a path: its passages in their order, other text, and its hashes."""

    passages: tuple[str, ...]
    shas: tuple[str, ...]
    previews: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that an excerpt may stand in."""
        return (*self.passages, *self.previews)


def examine(contract: Mapping[str, object], planner: Planner, *, disk: Disk) -> Examined:
    """Check `contract` (plain JSON data) and look up all that its evidence names."""
    errors = check(contract)
    try:
        items = msgspec.convert(contract.get("evidence"), list[EvidenceItem])
    except msgspec.ValidationError:
        items = list[EvidenceItem]()
    rows = tuple(
        EvidenceCheck(
            n=n,
            ok=not (wrong := tuple(_unfounded(item, planner, disk))),
            graph_ids=item.graph_ids,
            file_paths=item.file_paths,
            errors=wrong,
        )
        for n, item in enumerate(items, 1)
    )
    answer = contract.get("answer")
    told = answer if isinstance(answer, str) and answer.strip() != UNKNOWN else ""
    sentences = borne(told, [_bearing(item, planner, disk) for item in items], planner)
    sound = all(row.ok for row in rows) and all(s.found != "not found" for s in sentences)
    return Examined(
        ok=not errors and sound, errors=tuple(errors), evidence=rows, sentences=sentences
    )


def violations(reply: Reply, planner: Planner, *, assert_above: float = ASSERT_ABOVE) -> list[str]:
    """Everything a reply breaks: the schema itself, the promises of `check`, that its evidence is
    in the store, and that its citations are its evidence, one by one."""
    contract = reply.contract
    errors = schema_errors(msgspec.json.decode(msgspec.json.encode(contract))) or check(
        contract, confidence=reply.confidence.value, assert_above=assert_above
    )
    for n, item in enumerate(contract.evidence, 1):
        errors += [f"evidence {n}: {error}" for error in _unfounded(item, planner, _no_disk)]
    if [c.n for c in reply.citations] != list(range(1, len(contract.evidence) + 1)):
        errors.append("the citations do not number the evidence")
    for citation, item in zip(reply.citations, contract.evidence, strict=False):
        if citation.path not in item.file_paths or citation.graph_ids != item.graph_ids:
            errors.append(f"citation {citation.n} is not evidence {citation.n}")
        if not 0 <= citation.match <= 1 or citation.start_line > citation.end_line:
            errors.append(f"citation {citation.n} has a match or lines that cannot be")
    return errors


def _bearing(item: EvidenceItem, planner: Planner, disk: Disk) -> BearingSource:
    """What a piece of evidence may say: the sources at its paths; its excerpt is a part of one."""
    found = [source for path in item.file_paths if (source := _source(path, planner, disk))]
    texts = tuple(text for source in found for text in source.texts)
    return BearingSource(texts, item.file_paths, item.graph_ids)


def _no_disk(_: str) -> None:
    return None


def _unfounded(item: EvidenceItem, planner: Planner, disk: Disk) -> Iterator[str]:
    known = planner.get(sorted(set(item.graph_ids)))
    for record_id in item.graph_ids:
        if record_id not in known:
            yield f"the graph has no live record {record_id!r}"
    sources: list[_KnownPath] = []
    for path in item.file_paths:
        found = _source(path, planner, disk)
        if found is None:
            yield f"{path!r} is neither a source of the memory nor a file of its folder"
        else:
            sources.append(found)
    if not sources:
        return
    if item.source_sha and not any(item.source_sha in each.shas for each in sources):
        yield f"the source_sha {item.source_sha!r} is not that of {_listed(item.file_paths)} now"
    if item.excerpt.strip() and not any(_holds(each, item.excerpt) for each in sources):
        yield f"the excerpt {item.excerpt[:60]!r} does not stand in {_listed(item.file_paths)}"


def _source(path: str, planner: Planner, disk: Disk) -> _KnownPath | None:
    for ref in dict.fromkeys((path, _LINES.sub("", path))):
        stored = _stored(ref, planner)
        if stored is not None:
            return stored
        if (file := disk(ref)) is not None:
            return _KnownPath((file.text,), file.shas)
    return None


def _stored(ref: str, planner: Planner) -> _KnownPath | None:
    sources = planner.sources(refs=[ref])
    episodes = planner.get([source.episode_id for source in sources]).values()
    found = [each for each in episodes if isinstance(each, Episode)]
    if not found:
        return None
    documents = sorted({each.document_id for each in found if each.document_id})
    numbers = planner.numbers_in(documents)
    return _KnownPath(
        tuple(c.text for each in documents for c in planner.chunks(numbers[each])),
        tuple(sha for each in found for sha in (each.source_sha, each.content_hash) if sha),
        tuple(each.preview_text for each in found),
    )


def _holds(source: _KnownPath, excerpt: str) -> bool:
    """Whether the excerpt stands in the source; spaces do not count. `…` at its ends stands for
    what was cut; parts that it joins must stand in one passage, in that order."""
    pieces = [flat for piece in excerpt.split("…") if (flat := _flat(piece))]
    texts = [_flat(text) for text in source.texts]
    if len(pieces) == 1:
        texts.append(" ".join(map(_flat, source.passages)))
    return bool(pieces) and any(_in_order(pieces, text) for text in texts)


def _in_order(pieces: Sequence[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _listed(paths: Sequence[str]) -> str:
    return " or ".join(repr(path) for path in paths)
