"""Items under a namespace path and a key: what agent frameworks keep in their stores.

An item is a passage, so it is also found by search; its value stands whole in its document.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

import msgspec

from quipu.errors import InvalidInput
from quipu.records.batch import Batch
from quipu.records.naming import document_entity_id
from quipu.records.passage import PassageInput
from quipu.records.record import Entity, Properties
from quipu.records.scope import Scope
from quipu.write.lock import Turns

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["FoundItem", "Items", "KeptItem", "Namespace"]

Namespace = tuple[str, ...]

ITEM = "item"
_PAGE = 1_000
_LEAST_FOUND, _MOST_FOUND = 50, 1_000


class KeptItem(msgspec.Struct, frozen=True, kw_only=True):
    """A value under its namespace and key, and when it was first and last put there."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: str
    updated_at: str
    searchable: bool = True


class FoundItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item and how likely it is to be relevant, in [0, 1]."""

    item: KeptItem
    score: float


class Items:
    """The items of one memory; several processes may keep them at once."""

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._turns = Turns(memory.home.state, "items.lock")

    def put(self, namespace: Namespace, key: str, value: Mapping[str, Any], text: str) -> None:
        """Keep `value` (plain JSON); `text` is what it is found by, nothing if it is blank.

        Raises InvalidInput for a value that is no JSON.
        """
        plain = _plain(value)
        now = self._memory.clock()
        with self._turns.taken():
            held = self.get(namespace, key)
            properties: Properties = {
                "type": ITEM,
                "value": cast("Any", plain),
                "created_at": held.created_at if held else now,
                "searchable": bool(text.strip()),
            }
            report = self._memory.add_documents(
                [
                    PassageInput(
                        source_ref=_ref(namespace, key),
                        text=text if text.strip() else f"{key}.",
                        group=_group(namespace),
                        source_type=ITEM,
                        observed_at=now,
                        profile="prose",
                        properties=properties,
                    )
                ]
            )
        if report.errors:
            raise InvalidInput(f"{key!r} cannot be kept: {report.errors[0].error}")

    def get(self, namespace: Namespace, key: str) -> KeptItem | None:
        """The item, or None."""
        document_id = document_entity_id(self._memory.store.namespace, _ref(namespace, key))
        return self._of([document_id]).get(document_id)

    def delete(self, namespace: Namespace, key: str) -> None:
        """End the item, if there is one; its history stays."""
        ref = _ref(namespace, key)
        self._memory.store.write(Batch(recorded_at=self._memory.clock(), replaces=(ref,)))

    def namespaces(self) -> list[Namespace]:
        """Every namespace that holds an item, sorted."""
        return sorted({namespace for namespace, _, _ in self._kept()})

    def under(self, prefix: Namespace, wanted: Callable[[KeptItem], bool]) -> list[KeptItem]:
        """The wanted items in namespaces that begin with `prefix`, the latest first."""
        ids = [i for namespace, _, i in self._kept() if namespace[: len(prefix)] == prefix]
        found: list[KeptItem] = []
        for start in range(0, len(ids), _PAGE):
            found += filter(wanted, self._of(ids[start : start + _PAGE]).values())
        found.sort(key=lambda item: (item.namespace, item.key))
        return sorted(found, key=lambda item: item.updated_at, reverse=True)

    def search(
        self,
        prefix: Namespace,
        query: str,
        wanted: Callable[[KeptItem], bool] | None = None,
        *,
        limit: int,
    ) -> list[FoundItem]:
        """The wanted items for `query` in namespaces that begin with `prefix`, best first.

        One search considers some hundred passages; where more is asked for, another among the
        items that are left follows it, until there are enough or nothing more is found.
        """
        left = {i for namespace, _, i in self._kept() if namespace[: len(prefix)] == prefix}
        if wanted is not None:
            held = self._of(sorted(left))
            left = {i for i, item in held.items() if item.searchable and wanted(item)}
        found: list[FoundItem] = []
        while left and len(found) < limit and query.strip():
            scope = Scope(source_types=frozenset({ITEM}), document_ids=frozenset(left))
            lacking = min(max(2 * (limit - len(found)), _LEAST_FOUND), _MOST_FOUND)
            hits = self._memory.search(query, limit=lacking, scope=scope).hits
            if not hits:
                break
            scores = {hit.document_id: hit.score for hit in reversed(hits)}
            best = list(dict.fromkeys(hit.document_id for hit in hits))
            held = self._of(best)
            found += [
                FoundItem(item=held[i], score=scores[i])
                for i in best
                if i in held and held[i].searchable
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
                searchable=bool(said.get("searchable", True)),
            )
        return found


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
