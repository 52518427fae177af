"""References resolved across files: the second half of indexing.

What a file says by itself is asserted by the episode of its content. What its references mean
depends on the other files, so that is asserted by a second episode of the same source, of type
`links`, whose content is the resolution. When what can be referred to comes, changes or goes, every
document's references are resolved again from what was kept of them (`references.py`), and only
where the outcome differs is anything written; when only texts change, those of the changed ones
(`hints.py`). So the outcome never depends on the order in which files came, and equals that of
indexing everything at once.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from quipu.extract import Catalogue, defined_by, linked_claims
from quipu.ports import Source, Store
from quipu.records.batch import Batch, Claim
from quipu.records.ids import episode_id_of
from quipu.records.progress import Progress
from quipu.records.record import Asserted, Entity, Episode, Fact, Relation
from quipu.resolve import Authority, authorised, resolve
from quipu.when.instants import Clock
from quipu.write.hints import Resolutions, Resolved
from quipu.write.lock import WriteLock
from quipu.write.references import References, unpack

LINKS = "links"
"""The source type of the episodes written here."""

_PAGE = 200
_CLAIMS = 4_000


class Linked(NamedTuple):
    """A source's own episode and what its references resolve to; no links, no episode."""

    episode: Episode
    links: Episode | None
    claims: tuple[Claim, ...]


def link(
    store: Store,
    every: Sequence[Source],
    *,
    kept: Resolutions,
    turns: WriteLock,
    clock: Clock,
    progress: Progress | None = None,
    authority: Authority | None = None,
) -> int:
    """Resolve the references of `every` source against all of them, write what differs, and return
    how many references have no target.

    Those of a source that was resolved before are resolved again only when something that they
    could mean has come, changed or gone since.
    """
    rules = authority or Authority()
    sources = [s for s in every if s.source_type != LINKS]
    present = {s.source_ref: s.episode_id for s in every if s.source_type == LINKS}
    before = kept.get()
    rows = _rows(store, sources, before)
    known = {row.episode_id: row for row in before} if _is_quiet(before, rows) else {}
    due = [
        row
        for row in rows
        if row.defined is not None
        and (
            (stored := known.get(row.episode_id)) is None
            or stored.links_id != present.get(row.ref, "")
        )
    ]
    done = {
        row.episode_id: row
        for row in _resolved(store, due, rows, present, turns, clock, progress, rules)
    }
    rows = [done.get(row.episode_id, row) for row in rows]
    if rows != before:
        kept.set(rows)
    return sum(row.missing for row in rows)


def _rows(store: Store, sources: Sequence[Source], before: Sequence[Resolved]) -> list[Resolved]:
    """A row a source, with what it defines: as it was kept, else from the store."""
    known = {(row.episode_id, row.document_id): row for row in before}
    fresh = [s for s in sources if (s.episode_id, s.document_id or "") not in known]
    defined = {
        episode.episode_id: defined_by(
            references.document, episode.document_id or "", store.namespace
        )
        for episode, references in _episodes(store, [s.episode_id for s in fresh])
    }
    return [
        known.get((s.episode_id, s.document_id or ""))
        or Resolved(s.source_ref, s.episode_id, s.document_id or "", defined.get(s.episode_id))
        for s in sources
    ]


def _is_quiet(before: Sequence[Resolved], rows: Sequence[Resolved]) -> bool:
    """Whether all that references can mean is what it was."""
    return len(before) == len(rows) and all(
        old is new or (old.ref == new.ref and old.defined == new.defined)
        for old, new in zip(before, rows, strict=True)
    )


def _resolved(
    store: Store,
    due: Sequence[Resolved],
    rows: Sequence[Resolved],
    present: Mapping[str, str],
    turns: WriteLock,
    clock: Clock,
    progress: Progress | None,
    rules: Authority,
) -> Iterator[Resolved]:
    """Each of `due` with what its references come to among `rows`, written where that differs
    from the links that are `present`."""
    if not due:
        return
    catalogue = Catalogue(store.namespace)
    for row in rows:
        if row.defined is not None:
            catalogue.take(row.defined)
    claims = 0
    waiting: list[Linked] = []
    episodes = _episodes(store, [row.episode_id for row in due])
    by_id = {row.episode_id: row for row in due}
    for done, (episode, references) in enumerate(episodes, 1):
        linked, missing = _resolve(store.namespace, episode, references, catalogue, clock, rules)
        links_id = linked.links.episode_id if linked.links else ""
        yield msgspec.structs.replace(by_id[episode.episode_id], links_id=links_id, missing=missing)
        if present.get(episode.source_ref, "") != links_id:
            waiting.append(linked)
            claims += len(linked.claims)
        if claims >= _CLAIMS or len(waiting) >= _PAGE:
            _write(store, waiting, turns, clock)
            waiting, claims = [], 0
        if progress and done % 100 == 0:
            progress("link", done, len(due))
    _write(store, waiting, turns, clock)


def _episodes(store: Store, episode_ids: Sequence[str]) -> Iterator[tuple[Episode, References]]:
    """Those of the episodes that keep references, in order, a page at a time."""
    for at in range(0, len(episode_ids), _PAGE):
        ids = episode_ids[at : at + _PAGE]
        found = store.get(ids)
        for episode_id in ids:
            episode = found.get(episode_id)
            packed = episode.properties.get("references") if isinstance(episode, Episode) else None
            references = unpack(packed) if isinstance(packed, str) else None
            if isinstance(episode, Episode) and references is not None:
                yield episode, references


def _resolve(
    namespace: str,
    episode: Episode,
    references: References,
    catalogue: Catalogue,
    clock: Clock,
    authority: Authority,
) -> tuple[Linked, int]:
    extracted = linked_claims(references.document, references.chunks, episode, catalogue)
    resolved, missing = resolve(extracted.claims), len(extracted.unresolved)
    kind = references.document.type
    found = authorised(resolved, episode, authority, document_type=kind)
    if not found:
        return Linked(episode, None, ()), missing
    digest = hashlib.sha256()
    for claim in found:
        digest.update(msgspec.json.encode(_said(claim), order="deterministic"))
    content_hash = digest.hexdigest()
    links_id = episode_id_of(namespace, LINKS, episode.source_ref, content_hash)
    links = msgspec.structs.replace(
        episode,
        episode_id=links_id,
        source_type=LINKS,
        ingested_at=clock(),
        content_hash=content_hash,
        preview_text="",
        properties={},
    )
    claims = tuple(Claim(c.record, links_id, c.chunk_ids) for c in found)
    return Linked(episode, links, claims), missing


def _said(claim: Claim) -> tuple[Asserted, tuple[str, ...]]:
    """A claim without its times: when a file was last touched is no part of what it says."""
    record = claim.record
    match record:
        case Entity():
            record = msgspec.structs.replace(record, updated_at="", first_seen="", last_seen="")
        case Relation():
            record = msgspec.structs.replace(record, updated_at="", created_at="")
        case Fact():
            record = msgspec.structs.replace(record, updated_at="")
    return record, claim.chunk_ids


def _write(store: Store, waiting: Sequence[Linked], turns: WriteLock, clock: Clock) -> None:
    """Write those whose source is still the one that was resolved; its episode comes along, so
    that replacing the source ends only the earlier links."""
    if not waiting:
        return
    with turns.taken():
        live = store.get([w.episode.episode_id for w in waiting])
        due = [w for w in waiting if w.episode.episode_id in live]
        episodes = [e for w in due for e in (w.episode, w.links) if e is not None]
        store.write(
            Batch(
                recorded_at=clock(),
                episodes=tuple(episodes),
                claims=tuple(c for w in due for c in w.claims),
                replaces=tuple(w.episode.source_ref for w in due),
            )
        )
