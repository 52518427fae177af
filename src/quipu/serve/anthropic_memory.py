"""A memory behind Anthropic's memory tool (the extra `anthropic`).

    tool = QuipuMemoryTool(memory)
    client.beta.messages.run_tools(model=…, messages=…, tools=[tool])

The files that Claude keeps under `/memories` are items of the memory: found by search as all else
is, without secrets, and with a history. Anthropic's own tool over files does each command, in a
folder that holds them meanwhile.
"""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818Command

from quipu.agents.items import Items, KeptItem
from quipu.memory import Memory

__all__ = ["QuipuMemoryTool"]

_ROOT = "/memories"
_LONGEST_NAME = 255
"""Bytes of a name that file systems take."""


class QuipuMemoryTool(BetaAbstractMemoryTool):
    """Files under `/memories`, kept by a memory that the caller opens and closes."""

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._memory = memory
        self._items = Items(memory)

    def execute(self, command: BetaMemoryTool20250818Command) -> Any:
        """Do a command and keep what it changed. Raises ToolError with what Claude is told."""
        with TemporaryDirectory(prefix="quipu-") as folder:
            tool, root = BetaLocalFilesystemMemoryTool(folder), Path(folder, "memories")
            for item in self._items.under((_ROOT,), _is_file):
                file = root.joinpath(*item.namespace[1:], item.key)
                with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
                    # what another put under the name of a folder is no file of Claude's
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(item.value["text"].encode())
            before = _files(root)
            try:
                said = tool.execute(command)
            except (OSError, ValueError) as error:
                why = (error.strerror if isinstance(error, OSError) else "") or str(error)
                raise ToolError(f"The command {command.command} cannot be done: {why}") from error
            self._keep(before, _files(root))
        return said

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        """End every file under `/memories`."""
        for item in self._items.under((_ROOT,), lambda _: True):
            self._items.delete(item.namespace, item.key)
        return "All memory cleared"

    def _keep(self, before: dict[Path, str], after: dict[Path, str]) -> None:
        embedder = self._memory.embedder_for("")
        for path, text in after.items():
            if before.get(path) != text:
                place = (_ROOT, *path.parent.parts)
                self._items.put(place, path.name, {"text": text}, vectoriser=embedder)
        for path in before.keys() - after.keys():
            self._items.delete((_ROOT, *path.parent.parts), path.name)


def _is_file(item: KeptItem) -> bool:
    """Whether an item, which others may have put there, has a text, and names that a folder can
    hold and that stay in it."""
    names = (*item.namespace[1:], item.key)
    return isinstance(item.value.get("text"), str) and all(
        name == Path(name).name not in ("", "..")
        and "\0" not in name
        and len(name.encode()) <= _LONGEST_NAME
        for name in names
    )


def _files(root: Path) -> dict[Path, str]:
    """The text of each file by its path below `root`."""
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root): path.read_bytes().decode() for path in found}
