"""A bookmark as a record, and how the graph holds it: a URL that is a part of its folders."""

from collections.abc import Iterator

import msgspec

from quipu.ports import Graph
from quipu.records.record import Entity, Relation
from quipu.text import name_key

__all__ = ["FOLDER", "PART_OF", "Bookmark", "Bookmarks", "all_bookmarks", "in_folder"]

FOLDER = "concept"
PART_OF = "PART_OF"
_TITLE = "bookmark"
_MOST = 1_000


class Bookmark(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was kept. `folders` go from the outermost in; `added` is a date or ""."""

    url: str
    title: str
    folders: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    added: str = ""
    note: str = ""

    def properties(self) -> dict[str, str | list[str]]:
        """What its entity holds."""
        return {
            _TITLE: self.title,
            "folders": list(self.folders),
            "tags": list(self.tags),
            "added": self.added,
            "note": self.note,
        }


class Bookmarks(msgspec.Struct, frozen=True):
    """Bookmarks, by title."""

    bookmarks: tuple[Bookmark, ...]


def all_bookmarks(graph: Graph) -> Bookmarks:
    """Every bookmark that is known."""
    return _sorted(_bookmark(each) for each in graph.with_property(_TITLE))


def in_folder(graph: Graph, folder: str) -> list[tuple[Bookmark, Relation]]:
    """The bookmarks in the folders of a name and in what lies in them, by title, each with the
    relation that says so."""
    key = name_key(folder)
    folders = [each.entity_id for each in graph.named([key])[key] if each.type == FOLDER]
    found = graph.neighbors(folders, direction="in", types=frozenset({PART_OF}), limit_per_id=_MOST)
    relations = {r.source_entity_id: r for each in found.values() for r in each}
    held = graph.get(sorted(relations))
    bookmarks = [
        (_bookmark(each), relations[each.entity_id])
        for each in held.values()
        if isinstance(each, Entity) and _TITLE in each.properties
    ]
    return sorted(bookmarks, key=lambda each: (each[0].title, each[0].url))


def _sorted(bookmarks: Iterator[Bookmark]) -> Bookmarks:
    return Bookmarks(tuple(sorted(bookmarks, key=lambda each: (each.title, each.url))))


def _bookmark(entity: Entity) -> Bookmark:
    held = {k: v for k, v in entity.properties.items() if k in Bookmark.__struct_fields__}
    title = str(entity.properties[_TITLE])
    return msgspec.convert({**held, "url": entity.name, "title": title}, Bookmark)
