"""Items under a namespace path and a key: what agent frameworks keep in their stores.

An item is a passage, so it is also found by search; its value stands whole in its document, and the
vectors of the texts that it is found by stand beside the value, so that they go when it goes.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import quote, unquote

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput
from quipu.handle.expiry import EXPIRES, is_expired
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Vectors
from quipu.read.redact import Redactor
from quipu.records.batch import Batch
from quipu.records.ids import document_entity_id
from quipu.records.passage import PassageInput
from quipu.records.record import Entity, Properties
from quipu.records.scope import Scope
from quipu.when.instants import instant
from quipu.write.lock import WriteLock

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Items", "KeptItem", "Vectoriser", "texts_in"]

Namespace = tuple[str, ...]

ITEM = "item"
_SCALE = 32_767
"""A coordinate of a stored vector is a whole number up to this: a property holds no bytes."""
_WORTH_RENEWING = 0.05
"""A time to live is renewed when this part of it is gone: every read writes otherwise."""


class Vectoriser(Protocol):
    """What makes vectors of texts; those of one `space` can be compared."""

    @property
    def space(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d], a row a text."""
        ...


class KeptItem(msgspec.Struct, frozen=True, kw_only=True):
    """A value under its namespace and key, and when it was first and last put there. It is found
    by `texts`; `ttl_minutes` is how long it lives from when it is put or renewed, until `expires`.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: str
    updated_at: str
    texts: tuple[str, ...] = ()
    space: str = ""
    vectors: tuple[tuple[int, ...], ...] = ()
    ttl_minutes: float | None = None
    expires: str = ""


Condition = Callable[[KeptItem], bool]
Found = list[tuple[KeptItem, float | None]]


def texts_in(value: object) -> Iterator[str]:
    """Every text and number in a value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from texts_in(inner)
    elif value is not None:
        yield str(value)


def _all_texts(value: Mapping[str, Any]) -> list[str]:
    return ["\n".join(texts_in(value))]


class Items:
    """The items of one memory; several processes may keep them at once."""

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._turns = WriteLock(memory.home.state, "items.lock")

    def put(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        texts_of: Callable[[Mapping[str, Any]], Sequence[str]] = _all_texts,
        *,
        vectoriser: Vectoriser | None = None,
        ttl_minutes: float | None = None,
        created_at: str = "",
        updated_at: str = "",
    ) -> None:
        """Keep `value` (plain JSON) without its secrets; it is found by each of the texts that
        `texts_of` gives for it, if there are any. The times are now, and when it was first put
        here, where they are not given.

        Raises InvalidInput for a value that is no JSON.
        """
        plain = Redactor().properties(cast("Properties", _plain(value)))
        texts = tuple(text for text in texts_of(plain) if text.strip())
        now = self._memory.clock()
        with self._turns.taken():
            stored = None if created_at else self.get(namespace, key)
            item = KeptItem(
                namespace=namespace,
                key=key,
                value=plain,
                created_at=created_at or (stored.created_at if stored else now),
                updated_at=updated_at or now,
                texts=texts,
                space=vectoriser.space if vectoriser else "",
                vectors=_packed(vectoriser.embed(texts)) if vectoriser and texts else (),
                ttl_minutes=ttl_minutes,
                expires=_later(now, ttl_minutes) if ttl_minutes is not None else "",
            )
            self._write(item)

    def _write(self, item: KeptItem) -> None:
        kept: Properties = msgspec.to_builtins(item)
        for name in ("namespace", "key", "updated_at", *_absent(item)):
            del kept[name]
        passage = PassageInput(
            source_ref=_ref(item.namespace, item.key),
            text="\n".join(item.texts) or f"{item.key}.",
            group=_group(item.namespace),
            source_type=ITEM,
            observed_at=item.updated_at,
            profile="prose",
            properties={"type": ITEM, **kept},
        )
        report = self._memory.add_documents([passage])
        if report.errors:
            raise InvalidInput(f"{item.key!r} cannot be kept: {report.errors[0].error}")

    def renew(self, items: Sequence[KeptItem]) -> None:
        """Begin the time to live of those that have one anew, where enough of it is gone to be
        worth a write; nothing else of them changes."""
        now = self._memory.clock()
        for item in items:
            if item.ttl_minutes is None or item.expires <= now:
                continue
            until = _later(now, item.ttl_minutes)
            gone = datetime.fromisoformat(until) - datetime.fromisoformat(item.expires)
            if gone >= timedelta(minutes=item.ttl_minutes * _WORTH_RENEWING):
                with self._turns.taken():
                    self._write(msgspec.structs.replace(item, expires=until))

    def sweep(self) -> int:
        """End what has outlived its time; how many items."""
        over = self._live((), over=True)
        for item in over:
            self.delete(item.namespace, item.key)
        return len(over)

    def get(self, namespace: Namespace, key: str) -> KeptItem | None:
        """The item, or None; one that has outlived its time is not there."""
        document_id = document_entity_id(self._memory.store.namespace, _ref(namespace, key))
        found = self._of([document_id]).get(document_id)
        return None if found is None or is_expired(found.expires, self._memory.clock()) else found

    def delete(self, namespace: Namespace, key: str) -> None:
        """End the item, if there is one; its history stays."""
        ref = _ref(namespace, key)
        self._memory.store.write(Batch(recorded_at=self._memory.clock(), replaces=(ref,)))

    def namespaces(self) -> list[Namespace]:
        """Every namespace that holds an item, sorted."""
        return sorted({item.namespace for item in self._live(())})

    def under(self, prefix: Namespace, condition: Condition) -> list[KeptItem]:
        """The wanted items in namespaces that begin with `prefix`, the latest first."""
        found = [item for item in self._live(prefix) if condition(item)]
        found.sort(key=lambda item: (item.namespace, item.key))
        return sorted(found, key=lambda item: item.updated_at, reverse=True)

    def nearest(
        self,
        prefix: Namespace,
        query: str,
        vectoriser: Vectoriser,
        condition: Condition,
        *,
        limit: int,
        offset: int = 0,
    ) -> Found:
        """The wanted items in namespaces that begin with `prefix`, those nearest to `query` first,
        each with the best cosine of its texts, in [-1, 1]; after them what no query finds, the
        latest first, with None. All of them are looked at."""
        items = self.under(prefix, condition)
        asked = _unit(vectoriser.embed([query]))[0]
        scores = {
            (item.namespace, item.key): float(np.max(_rows(item, vectoriser) @ asked))
            for item in items
            if item.texts
        }
        found: Found = [(item, scores.get((item.namespace, item.key))) for item in items]
        found.sort(key=lambda each: (each[1] is None, -(each[1] or 0.0)))
        return found[offset : offset + limit]

    def search(self, prefix: Namespace, query: str, condition: Condition, *, limit: int) -> Found:
        """The wanted items for `query` in namespaces that begin with `prefix`, best first, as
        Quipu's own search finds them, each with how likely it is to be relevant, in [0, 1]."""
        wanted = {
            document_entity_id(self._memory.store.namespace, _ref(item.namespace, item.key)): item
            for item in self._live(prefix)
            if item.texts and condition(item)
        }
        if not wanted or not query.strip():
            return []
        scope = Scope(source_types=frozenset({ITEM}), document_ids=frozenset(wanted))
        hits = self._memory.search(query, limit=limit, scope=scope).hits
        best = {hit.document_id: hit.score for hit in reversed(hits)}
        order = dict.fromkeys(hit.document_id for hit in hits)
        return [(wanted[document_id], best[document_id]) for document_id in order]

    def _live(self, prefix: Namespace, *, over: bool = False) -> list[KeptItem]:
        """The items under `prefix` that are there, or those that are `over` their time."""
        now = self._memory.clock()
        ids = [
            source.document_id
            for source in self._memory.store.sources(frozenset({ITEM}))
            if source.document_id and _place(source.source_ref)[0][: len(prefix)] == prefix
        ]
        found: list[KeptItem] = []
        for start in range(0, len(ids), ROWS_AT_ONCE):
            page = self._of(ids[start : start + ROWS_AT_ONCE]).values()
            found += [item for item in page if is_expired(item.expires, now) is over]
        return found

    def _of(self, document_ids: Sequence[str]) -> dict[str, KeptItem]:
        records = self._memory.store.get(list(document_ids))
        return {
            document_id: _item(record)
            for document_id, record in records.items()
            if isinstance(record, Entity) and record.properties.get("type") == ITEM
        }


def _item(record: Entity) -> KeptItem:
    said = record.properties
    namespace, key = _place(str(said.get("file_path") or record.name))
    fields = {name: said[name] for name in KeptItem.__struct_fields__ if said.get(name) is not None}
    whole = {"value": {}, "created_at": record.first_seen, **fields}
    return msgspec.convert(
        {**whole, "namespace": namespace, "key": key, "updated_at": record.updated_at}, KeptItem
    )


def _absent(item: KeptItem) -> tuple[str, ...]:
    """The fields of an item that say nothing."""
    without_vectors = () if item.vectors else ("space", "vectors")
    return (*without_vectors, *(() if item.expires else ("ttl_minutes", EXPIRES)))


def _later(now: str, minutes: float) -> str:
    return instant(datetime.fromisoformat(now) + timedelta(minutes=minutes))


def _unit(rows: Vectors) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _packed(vectors: Vectors) -> tuple[tuple[int, ...], ...]:
    whole = np.rint(_unit(vectors) * _SCALE).astype(int).tolist()
    return tuple(tuple(row) for row in cast("list[list[int]]", whole))


def _rows(item: KeptItem, vectoriser: Vectoriser) -> NDArray[np.float32]:
    """The vectors of an item's texts, of length 1; those of another space are made anew."""
    if item.vectors and item.space == vectoriser.space:
        return _unit(np.asarray(item.vectors, dtype=np.float32))
    return _unit(vectoriser.embed(item.texts))


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"the value is no plain JSON ({error}): use text, numbers, lists and objects"
        ) from error


def _group(namespace: Namespace) -> str:
    return "/".join(quote(part, safe="") for part in namespace)


def _ref(namespace: Namespace, key: str) -> str:
    """What a citation opens."""
    return f"item:{_group(namespace)}#{quote(key, safe='')}"


def _place(ref: str) -> tuple[Namespace, str]:
    path, _, key = ref.removeprefix("item:").rpartition("#")
    return tuple(unquote(part) for part in path.split("/")), unquote(key)
