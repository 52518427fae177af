"""A memory behind Anthropic's memory tool (the extra `anthropic`).

    tool = QuipuMemoryTool(memory)
    client.beta.messages.run_tools(model=…, messages=…, tools=[tool])

The files that Claude keeps under `/memories` are items of the memory: found by search as all else
is, without secrets, and with a history. Replies are worded as in Anthropic's own tool over files.
"""

import posixpath
from typing import Any, NamedTuple

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from quipu.agents.items import Items
from quipu.memory import Memory

__all__ = ["QuipuMemoryTool"]

_ROOT = "/memories"
_DEPTH = 2
_NUMBER = 6
_KILO = 1024


class _Place(NamedTuple):
    """A path under `/memories`, as it was given and by its parts."""

    said: str
    parts: tuple[str, ...]


class QuipuMemoryTool(BetaAbstractMemoryTool):
    """Files under `/memories`, kept by a memory that the caller opens and closes."""

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._memory = memory
        self._items = Items(memory)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """A file with numbered lines, or what a folder holds."""
        place = _place(command.path)
        text = self._text(place)
        if text is None:
            return self._listed(place)
        lines, first, last = text.split("\n"), 1, None
        if command.view_range and len(command.view_range) == len(("from", "to")):
            first, end = max(1, command.view_range[0]), command.view_range[1]
            last = None if end == -1 else end
        shown = _numbered(lines[first - 1 : last], first)
        return f"Here's the content of {place.said} with line numbers:\n{shown}"

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file. Raises ToolError where there is one."""
        place = _place(command.path)
        if self._exists(place):
            raise ToolError(f"File {place.said} already exists")
        self._put(place, command.file_text)
        return f"File created successfully at: {place.said}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands in a file once."""
        place = _place(command.path)
        text, old = self._file(place), command.old_str
        if (count := text.count(old)) != 1:
            raise ToolError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in "
                f"{place.said}."
                if not count
                else f"No replacement was performed. Multiple occurrences of old_str `{old}` in "
                f"lines: {_lines_with(text, old)}. Please ensure it is unique"
            )
        after = text.replace(old, command.new_str or "")
        self._put(place, after)
        line = text[: text.find(old)].count("\n")
        first = max(0, line - 2)
        shown = _numbered(after.split("\n")[first : line + 3], first + 1)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            f"numbers):\n{shown}"
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put a text after a line of a file, 0 for its beginning."""
        place = _place(command.path)
        lines = self._file(place).removesuffix("\n").split("\n")
        lines = [] if lines == [""] else lines
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._put(place, "\n".join(lines).removesuffix("\n") + "\n")
        return f"The file {place.said} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """End a file, or all of a folder; its history stays."""
        place = _place(command.path)
        if not place.parts:
            raise ToolError(f"Cannot delete the {_ROOT} directory itself")
        self._moved(place, None, f"The path {place.said} does not exist")
        return f"Successfully deleted {place.said}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file, or all of a folder, another path."""
        old, new = _place(command.old_path), _place(command.new_path)
        if not old.parts:
            raise ToolError(f"Cannot rename the {_ROOT} directory itself")
        if new.parts[: len(old.parts)] == old.parts and new.parts != old.parts:
            raise ToolError(f"Cannot rename {old.said} to a path below itself: {new.said}")
        if self._exists(new):
            raise ToolError(f"The destination {new.said} already exists")
        self._moved(old, new, f"The path {old.said} does not exist")
        return f"Successfully renamed {old.said} to {new.said}"

    def clear_all_memory(self) -> str:
        """End every file under `/memories`."""
        for parts in self._files(()):
            self._items.delete((_ROOT, *parts[:-1]), parts[-1])
        return "All memory cleared"

    def _put(self, place: _Place, text: str) -> None:
        if not place.parts:
            raise ToolError(f"The path {place.said} is not a file.")
        *folder, name = place.parts
        for depth in range(1, len(place.parts)):
            if self._text(_Place(place.said, place.parts[:depth])) is not None:
                inner = "/".join((_ROOT, *place.parts[:depth]))
                raise ToolError(f"The path {inner} is a file: nothing can be put below it.")
        embedder = self._memory.embedder_for("")
        self._items.put((_ROOT, *folder), name, {"text": text}, vectoriser=embedder)

    def _text(self, place: _Place) -> str | None:
        if not place.parts:
            return None
        found = self._items.get((_ROOT, *place.parts[:-1]), place.parts[-1])
        return None if found is None else found.value["text"]

    def _file(self, place: _Place) -> str:
        text = self._text(place)
        if text is None:
            missing = "does not exist. Please provide a valid path."
            what = "is not a file." if self._exists(place) else missing
            raise ToolError(f"The path {place.said} {what}")
        return text

    def _exists(self, place: _Place) -> bool:
        return not place.parts or self._text(place) is not None or bool(self._files(place.parts))

    def _files(self, folder: tuple[str, ...]) -> dict[tuple[str, ...], str]:
        """The files below a folder, by their parts."""
        found = self._items.under((_ROOT, *folder), lambda _: True)
        return {(*item.namespace[1:], item.key): item.value["text"] for item in found}

    def _moved(self, old: _Place, new: _Place | None, missing: str) -> None:
        text = self._text(old)
        files = {old.parts: text} if text is not None else self._files(old.parts)
        if not files:
            raise ToolError(missing)
        for parts, said in files.items():
            if new is not None:
                self._put(_Place(new.said, new.parts + parts[len(old.parts) :]), said)
            self._items.delete((_ROOT, *parts[:-1]), parts[-1])

    def _listed(self, place: _Place) -> str:
        files = self._files(place.parts)
        if place.parts and not files:
            raise ToolError(f"The path {place.said} does not exist. Please provide a valid path.")
        sizes: dict[str, int] = {}
        for parts, text in files.items():
            inner, size = parts[len(place.parts) :], len(text.encode())
            if not any(part.startswith(".") for part in inner):
                for depth in range(1, min(len(inner), _DEPTH) + 1):
                    name = "/".join(inner[:depth]) + ("/" if depth < len(inner) else "")
                    sizes[name] = sizes.get(name, 0) + size
        lines = [f"{_size(sum(len(t.encode()) for t in files.values()))}\t{place.said}"]
        lines += [f"{_size(sizes[name])}\t{place.said}/{name}" for name in sorted(sizes)]
        return (
            f"Here're the files and directories up to 2 levels deep in {place.said}, excluding "
            "hidden items:\n" + "\n".join(lines)
        )


def _place(path: str) -> _Place:
    if not path.startswith(_ROOT):
        raise ToolError(f"Path must start with {_ROOT}, got: {path}")
    whole = posixpath.normpath(path)
    if whole != _ROOT and not whole.startswith(f"{_ROOT}/"):
        raise ToolError(f"Path {path} would escape {_ROOT} directory")
    parts = tuple(part for part in whole.removeprefix(_ROOT).split("/") if part)
    return _Place(path, parts)


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{_NUMBER}}\t{line}" for number, line in enumerate(lines, first))


def _lines_with(text: str, part: str) -> str:
    starts = (at for at in range(len(text)) if text.startswith(part, at))
    return ", ".join(str(text[:at].count("\n") + 1) for at in starts)


def _size(count: float) -> str:
    for unit in ("B", "K", "M"):
        if count < _KILO:
            return f"{count:.1f}".removesuffix(".0") + unit
        count /= _KILO
    return f"{count:.1f}G"
