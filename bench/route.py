"""`python -m bench route STORE QUESTION …`: through how many rooms a question goes; with `--file`
a file that is indexed.

A *room* is a folder of `src/quipu`, or a module beside the folders. Functions count in the order in
which they are first entered, lambdas and comprehensions aside: a *stop* is a run of them in one
room, a *return* a stop in a room that was entered before. The second asking counts: what is loaded
once is there by then.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import quipu
from quipu import Memory

__all__ = ["main", "rooms_entered"]

_SOURCE = str(Path(quipu.__file__).parent)


def main(arguments: Sequence[str]) -> int:
    """Print the rooms, stops and returns of each question, and of a file that is indexed."""
    parser = argparse.ArgumentParser(prog="python -m bench route", description=__doc__)
    parser.add_argument("store", help="of a memory, such as .quipu/quipu.db")
    parser.add_argument("questions", nargs="*")
    parser.add_argument("--file", type=Path, help="a file to index, words and graph alone")
    parser.add_argument("--rooms", action="store_true", help="print the stops of each room too")
    given = parser.parse_args(arguments)
    with Memory.open(given.store) as memory:
        for question in given.questions:
            for verb in (memory.search, memory.ask):
                verb(question)
                stops = rooms_entered(lambda verb=verb, question=question: verb(question))
                _print(verb.__name__, stops, question, rooms=given.rooms)
    if given.file:
        _print("index", _rooms_of_indexing(given.file), given.file.name, rooms=given.rooms)
    return 0


def _rooms_of_indexing(path: Path) -> list[str]:
    """Return the stops of indexing a file for the second time, with a line more."""
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, folder))
        with Memory.open(Path(folder, ".quipu", "quipu.db"), embedder=None) as memory:
            memory.index(folder)
            copy.write_bytes(copy.read_bytes() + b"\n")
            return rooms_entered(lambda: memory.index(folder))


def _print(name: str, stops: Sequence[str], what: str, *, rooms: bool) -> None:
    counted = Counter(stops)
    returns = len(stops) - len(counted)
    print(f"{name:7}{len(counted):4} rooms{len(stops):5} stops{returns:5} returns  {what}")
    if rooms:
        print("".join(f"  {count:3} {room}\n" for room, count in counted.most_common()))


def rooms_entered(call: Callable[[], object]) -> list[str]:
    """The room of each stop of `call`, in order."""
    entered: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name[0] != "<" and code.co_filename.startswith(_SOURCE):
            entered.setdefault(code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    modules = [Path(code.co_filename).relative_to(_SOURCE) for code in entered]
    rooms = (str(path if path.parent == Path() else path.parent) for path in modules)
    return [room for room, _ in groupby(rooms)]
