"""Exported bookmarks: the HTML that every browser writes, and the JSON that Chromium keeps."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from quipu.errors import InvalidInput
from quipu.read.kinds import FileReader
from quipu.read.reading import Reading
from quipu.records.document import Section, StatedRelation, Thing
from quipu.when.instants import from_epoch
from quipu_bookmarks.model import FOLDER, PART_OF, Bookmark

__all__ = ["READER", "BookmarkReader"]

_MARK = b"netscape-bookmark-file-1"
_LOOKED_AT = 4_096
_WINDOWS_EPOCH_S = 11_644_473_600  # Chromium counts from 1601


class BookmarkReader(FileReader):
    """A file of bookmarks as a document with a section a bookmark."""

    name = "bookmarks"

    def claims(self, path: str, data: bytes) -> bool:
        """Whether it is an export, or Chromium's own file `Bookmarks`."""
        head = data[:_LOOKED_AT]
        named = path.rpartition("/")[2].lower() in ("bookmarks", "bookmarks.json")
        return _MARK in head.lower() or (named and b'"roots"' in head)

    def read(self, text: str) -> Reading:
        """What the bookmarks say, a few lines each."""
        found = list(_from_json(text) if text.lstrip().startswith("{") else _from_html(text))
        reading = Reading("", title="Bookmarks", type="bookmarks")
        lines: list[str] = []
        for each in found:
            line = len(lines) + 1
            lines += [*_lines(each), ""]
            reading.sections.append(Section((*each.folders, each.title), line, len(lines)))
            reading.things.append(
                Thing("URL", each.url, line, each.title, properties=each.properties())
            )
            reading.relations += [
                StatedRelation(PART_OF, FOLDER, folder, line, source=("URL", each.url), create=True)
                for folder in dict.fromkeys(each.folders)
            ]
        reading.text = "\n".join(lines)
        return reading


def _lines(each: Bookmark) -> Iterator[str]:
    yield each.title
    yield each.url
    where = f" in the folder {' › '.join(each.folders)}" if each.folders else ""
    when = f" on {each.added}" if each.added else ""
    yield f"Bookmarked{when}{where}."
    if each.tags:
        yield f"Tags: {', '.join(each.tags)}."
    if each.note:
        yield each.note


class _Export(HTMLParser):
    """Reads `<DT><H3>folder</H3><DL>…</DL>` and `<DT><A HREF ADD_DATE TAGS>title</A><DD>note`."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []
        self._folders: list[str] = []
        self._named = self._tag = ""
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a folder or a bookmark; what opens next ends a note."""
        self._end_note()
        if tag == "dl":
            self._folders.append(self._named)
            self._named = ""
        elif tag == "a":
            given = {name: value or "" for name, value in attrs}
            self.found.append(
                {
                    "url": given.get("href", ""),
                    "folders": tuple(each for each in self._folders if each),
                    "tags": tuple(t.strip() for t in given.get("tags", "").split(",") if t.strip()),
                    "added": _date(given.get("add_date", "")),
                }
            )
        self._tag, self._text = tag, []

    def handle_endtag(self, tag: str) -> None:
        """Close it; the text inside of it was its name."""
        self._end_note()
        if tag == "dl" and self._folders:
            self._folders.pop()
        elif tag == "h3":
            self._named = self._said()
        elif tag == "a" and self.found:
            self.found[-1]["title"] = self._said() or self.found[-1]["url"]
        self._tag, self._text = "", []

    def handle_data(self, data: str) -> None:
        """Keep what may be a name or a note."""
        self._text.append(data)

    def _end_note(self) -> None:
        if self._tag == "dd" and self.found:
            self.found[-1]["note"] = self._said()

    def _said(self) -> str:
        return " ".join("".join(self._text).split())


def _from_html(text: str) -> Iterator[Bookmark]:
    export = _Export()
    export.feed(text)
    export.close()
    for each in export.found:
        if each["url"].startswith(("http:", "https:")) and each.get("title"):
            yield Bookmark(**each)


def _from_json(text: str) -> Iterator[Bookmark]:
    try:
        roots = json.loads(text)["roots"]
        waiting = [(root, ()) for root in reversed(roots.values()) if isinstance(root, dict)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput("is no file of bookmarks") from error
    while waiting:
        node, folders = waiting.pop()
        name, url = str(node.get("name") or ""), str(node.get("url") or "")
        if url.startswith(("http:", "https:")):
            added = _date(node.get("date_added"), unit=1_000_000, since=_WINDOWS_EPOCH_S)
            yield Bookmark(url=url, title=name or url, folders=folders, added=added)
        inside = (*folders, name) if name else folders
        children = [each for each in node.get("children") or () if isinstance(each, dict)]
        waiting += [(each, inside) for each in reversed(children)]


def _date(written: object, *, unit: int = 1, since: int = 0) -> str:
    """The day of a number of seconds (or of `unit` parts of one); "" where it is none."""
    try:
        return from_epoch(int(str(written)) / unit - since)[:10]
    except (ValueError, InvalidInput):
        return ""


READER = BookmarkReader()
