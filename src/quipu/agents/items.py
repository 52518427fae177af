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
from quipu.handle.expiry import EXPIRES
from quipu.ports import Vectors
from quipu.read.redact import Redactor
from quipu.records.batch import Batch
from quipu.records.naming import document_entity_id
from quipu.records.passage import PassageInput
from quipu.records.record import Entity, Properties, Value
from quipu.records.scope import Scope
from quipu.when.instants import instant
from quipu.write.lock import WriteLock

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Items", "KeptItem", "Vectoriser", "texts_in"]

Namespace = tuple[str, ...]

ITEM = "item"
_PAGE = 1_000
_LEAST_FOUND, _MOST_FOUND = 50, 1_000
_SCALE = 32_767
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

    @property
    def searchable(self) -> bool:
        """Whether it is found by a query at all."""
        return bool(self.texts)


class FoundItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item and the best cosine of its texts with the query, in [-1, 1]; without a model how
    likely it is to be relevant, in [0, 1]; None for one that no query finds."""

    item: KeptItem
    score: float | None


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
        texts_of: Callable[[Mapping[str, Any]], Sequence[str]],
        *,
        vectoriser: Vectoriser | None = None,
        ttl_minutes: float | None = None,
    ) -> None:
        """Keep `value` (plain JSON) without its secrets; it is found by each of the texts that
        `texts_of` gives for it, if there are any.

        Raises InvalidInput for a value that is no JSON.
        """
        plain = Redactor().properties(cast("Properties", _plain(value)))
        texts = tuple(text for text in texts_of(plain) if text.strip())
        now = self._memory.clock()
        with self._turns.taken():
            stored = self.get(namespace, key)
            item = KeptItem(
                namespace=namespace,
                key=key,
                value=plain,
                created_at=stored.created_at if stored else now,
                updated_at=now,
                texts=texts,
                space=vectoriser.space if vectoriser else "",
                vectors=_packed(vectoriser.embed(texts)) if vectoriser and texts else (),
                ttl_minutes=ttl_minutes,
                expires=_later(now, ttl_minutes) if ttl_minutes is not None else "",
            )
            self._write(item, now)

    def take_in(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        *,
        created_at: str,
        updated_at: str,
    ) -> None:
        """Keep what another store kept, with its times; found by all that it holds."""
        plain = Redactor().properties(cast("Properties", _plain(value)))
        texts = tuple(filter(str.strip, ["\n".join(texts_in(plain))]))
        vectoriser = self._memory.embedder_for(texts[0]) if texts else None
        item = KeptItem(
            namespace=namespace,
            key=key,
            value=plain,
            created_at=created_at,
            updated_at=updated_at,
            texts=texts,
            space=vectoriser.space if vectoriser else "",
            vectors=_packed(vectoriser.embed(texts)) if vectoriser else (),
        )
        with self._turns.taken():
            self._write(item, updated_at)

    def _write(self, item: KeptItem, seen: str) -> None:
        text = "\n".join(item.texts)
        properties: Properties = {
            "type": ITEM,
            "value": cast("Any", item.value),
            "created_at": item.created_at,
            "texts": [*item.texts],
        }
        if item.vectors:
            properties |= {"space": item.space, "vectors": [[*row] for row in item.vectors]}
        if item.ttl_minutes is not None:
            properties |= {"ttl_minutes": item.ttl_minutes, EXPIRES: item.expires}
        passage = PassageInput(
            source_ref=_ref(item.namespace, item.key),
            text=text or f"{item.key}.",
            group=_group(item.namespace),
            source_type=ITEM,
            observed_at=seen,
            profile="prose",
            properties=properties,
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
                    self._write(msgspec.structs.replace(item, expires=until), item.updated_at)

    def sweep(self) -> int:
        """End what has outlived its time; how many items."""
        now, gone = self._memory.clock(), 0
        for item in self._live((), now, expired=True):
            self.delete(item.namespace, item.key)
            gone += 1
        return gone

    def get(self, namespace: Namespace, key: str) -> KeptItem | None:
        """The item, or None; one that has outlived its time is not there."""
        document_id = document_entity_id(self._memory.store.namespace, _ref(namespace, key))
        found = self._of([document_id]).get(document_id)
        return None if found is None or _is_over(found, self._memory.clock()) else found

    def delete(self, namespace: Namespace, key: str) -> None:
        """End the item, if there is one; its history stays."""
        ref = _ref(namespace, key)
        self._memory.store.write(Batch(recorded_at=self._memory.clock(), replaces=(ref,)))

    def namespaces(self) -> list[Namespace]:
        """Every namespace that holds an item, sorted."""
        live = self._live((), self._memory.clock())
        return sorted({item.namespace for item in live})

    def under(self, prefix: Namespace, condition: Callable[[KeptItem], bool]) -> list[KeptItem]:
        """The wanted items in namespaces that begin with `prefix`, the latest first."""
        found = [item for item in self._live(prefix, self._memory.clock()) if condition(item)]
        found.sort(key=lambda item: (item.namespace, item.key))
        return sorted(found, key=lambda item: item.updated_at, reverse=True)

    def nearest(
        self,
        prefix: Namespace,
        query: str,
        vectoriser: Vectoriser,
        condition: Callable[[KeptItem], bool],
        *,
        limit: int,
        offset: int = 0,
    ) -> list[FoundItem]:
        """The wanted items in namespaces that begin with `prefix`, those nearest to `query` first;
        after them what no query finds, the latest first. All of them are looked at."""
        items = self.under(prefix, condition)
        scored = [item for item in items if item.searchable]
        asked = _unit(vectoriser.embed([query]))[0]
        scores = [float(np.max(rows @ asked)) for rows in _rows(scored, vectoriser)]
        order = sorted(range(len(scored)), key=lambda at: (-scores[at], at))
        found = [FoundItem(item=scored[at], score=scores[at]) for at in order]
        found += [FoundItem(item=item, score=None) for item in items if not item.searchable]
        return found[offset : offset + limit]

    def _live(self, prefix: Namespace, now: str, *, expired: bool = False) -> list[KeptItem]:
        """The items under `prefix` that are there, or those that have outlived their time."""
        ids = [i for namespace, _, i in self._kept() if namespace[: len(prefix)] == prefix]
        found: list[KeptItem] = []
        for start in range(0, len(ids), _PAGE):
            page = self._of(ids[start : start + _PAGE]).values()
            found += [item for item in page if _is_over(item, now) is expired]
        return found

    def search(
        self,
        prefix: Namespace,
        query: str,
        condition: Callable[[KeptItem], bool] | None = None,
        *,
        limit: int,
    ) -> list[FoundItem]:
        """The wanted items for `query` in namespaces that begin with `prefix`, best first, as
        Quipu's own search finds them.

        One search considers some hundred passages; where more is asked for, another among the
        items that are left follows it, until there are enough or nothing more is found.
        """
        left = {i for namespace, _, i in self._kept() if namespace[: len(prefix)] == prefix}
        items, now = self._of(sorted(left)), self._memory.clock()
        left = {
            i
            for i, item in items.items()
            if item.searchable
            and not _is_over(item, now)
            and (condition is None or condition(item))
        }
        found: list[FoundItem] = []
        while left and len(found) < limit and query.strip():
            scope = Scope(source_types=frozenset({ITEM}), document_ids=frozenset(left))
            lacking = min(max(2 * (limit - len(found)), _LEAST_FOUND), _MOST_FOUND)
            hits = self._memory.search(query, limit=lacking, scope=scope).hits
            if not hits:
                break
            scores = {hit.document_id: hit.score for hit in reversed(hits)}
            best = list(dict.fromkeys(hit.document_id for hit in hits))
            items = self._of(best)
            found += [
                FoundItem(item=items[i], score=scores[i])
                for i in best
                if i in items and items[i].searchable
            ]
            left -= scores.keys()
        return found[:limit]

    def _kept(self) -> list[tuple[Namespace, str, str]]:
        """Namespace, key and document of every item."""
        return [
            (*_place(source.source_ref), source.document_id)
            for source in self._memory.store.sources(frozenset({ITEM}))
            if source.document_id
        ]

    def _of(self, document_ids: Sequence[str]) -> dict[str, KeptItem]:
        found: dict[str, KeptItem] = {}
        for document_id, record in self._memory.store.get(list(document_ids)).items():
            if not isinstance(record, Entity) or record.properties.get("type") != ITEM:
                continue
            said = record.properties
            namespace, key = _place(str(said.get("file_path") or record.name))
            found[document_id] = KeptItem(
                namespace=namespace,
                key=key,
                value=cast("dict[str, Any]", said.get("value") or {}),
                created_at=str(said.get("created_at") or record.first_seen),
                updated_at=record.updated_at,
                texts=_found_by(said),
                space=str(said.get("space") or ""),
                vectors=cast("Any", tuple(_listed(said.get("vectors")))),
                ttl_minutes=_number(said.get("ttl_minutes")),
                expires=str(said.get(EXPIRES) or ""),
            )
        return found


def texts_in(value: object) -> Iterator[str]:
    """Every text and number in a value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, object]", value).values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from texts_in(each)
    elif value is not None:
        yield str(value)


def _found_by(said: Properties) -> tuple[str, ...]:
    """The texts that an item is found by; one that was kept before they were, by all it holds."""
    if "texts" not in said and said.get("searchable"):
        return ("\n".join(texts_in(said.get("value"))),)
    return tuple(str(text) for text in _listed(said.get("texts")))


def _listed(value: Value) -> Sequence[Value]:
    return value if isinstance(value, list) else ()


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _later(now: str, minutes: float) -> str:
    return instant(datetime.fromisoformat(now) + timedelta(minutes=minutes))


def _is_over(item: KeptItem, now: str) -> bool:
    return bool(item.expires) and item.expires <= now


def _unit(rows: Vectors) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _packed(vectors: Vectors) -> tuple[tuple[int, ...], ...]:
    """Vectors as whole numbers: a property holds no bytes."""
    whole = np.rint(_unit(vectors) * _SCALE).astype(int).tolist()
    return tuple(tuple(row) for row in cast("list[list[int]]", whole))


def _rows(items: Sequence[KeptItem], vectoriser: Vectoriser) -> list[NDArray[np.float32]]:
    """The vectors of each item's texts, of length 1; those of another space are made anew."""
    return [
        _unit(
            np.asarray(item.vectors, dtype=np.float32)
            if item.vectors and item.space == vectoriser.space
            else vectoriser.embed(item.texts)
        )
        for item in items
    ]


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
