"""A tree that changes under a memory: no sure answer that the tree refutes.

A case is a repository of constants and tables. It is edited, quietly too (same size, same times),
renamed, deleted, switched to another branch and asked from another work tree; after each change the
memory is asked for a value, through a handle that stays open, one that is only read, or the command
line. What is asserted must be what the files say then.
"""

from __future__ import annotations

import json
import os
import random
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from bench.torture.material import git
from bench.torture.trial import Hands, Trial, demand, succeed
from bench.torture.warm import OWN_STORE

if TYPE_CHECKING:
    from quipu.memory import Memory

__all__ = ["Tree"]

_CONSTANTS = ("MAX_RETRIES", "POOL_SIZE", "TIMEOUT_S", "CACHE_MB", "BATCH_ROWS")
_SERVICES = ("heron", "crane", "stork")
_SURE = 0.7
_NUMBER = re.compile(r"\b\d{3}\b")


class Tree(Trial):
    """See the module."""

    name: ClassVar[str] = "tree"
    what: ClassVar[str] = "changes of the tree, each with a question"
    cases: ClassVar[int] = 50
    changes = 10
    elsewhere = True

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Change one repository again and again; at least one of its answers must be sure."""
        home = hands.folder / "home"
        project = _Project(home, dice)
        place = home / ".quipu" / "quipu.db"
        sure = 0
        with ExitStack() as opened:
            live = opened.enter_context(_opened(place, home))
            live.index()
            reader = opened.enter_context(_opened(place, home, read_only=True))
            for name in (*_CONSTANTS, *_SERVICES):
                sure += _judge(f"as indexed, {name}", *_asked(live, name), truth(home, name))
            for turn in range(self.changes):
                name, done = project.change()
                memory = dice.choice((live, live, reader))
                said, value = _asked(memory, name)
                sure += _judge(f"{done}, then {name}", said, value, truth(home, name))
                if self.elsewhere and turn == self.changes // 2:
                    sure += self._asked_elsewhere(project, hands, name)
        demand(sure, "no answer was sure: nothing was tried")
        return self.changes + self.elsewhere  # what is asked as indexed is no change

    def _asked_elsewhere(self, project: _Project, hands: Hands, name: str) -> int:
        """Ask by the command line from a work tree that holds another value."""
        other = project.work_tree()
        env = {"QUIPU_STORE_URL": str(project.home / OWN_STORE["QUIPU_STORE_URL"])}
        done = hands.warm.quipu("ask", "--json", _question(name), cwd=other, env=env)
        reply = json.loads(succeed(done, "ask in a work tree:").out)
        said, value = reply["contract"]["answer"], reply["confidence"]["value"]
        return _judge(f"in a work tree, {name}", said, value, truth(other, name))


class _Project:
    """The repository of one case, and what may happen to it."""

    def __init__(self, home: Path, dice: random.Random) -> None:
        self.home, self._dice = home, dice
        self._trees = 0
        for name in (*_CONSTANTS, *_SERVICES):
            self._write(self._file(name), name)
        git(home, "init", "-q")
        for branch in ("one", "two"):
            git(home, "switch", "-q", "-c", branch)
            for name in (*_CONSTANTS, *_SERVICES):
                self._write(self._file(name), name)
            self._commit()

    def change(self) -> tuple[str, str]:
        """Do something to one thing; its name, and what was done."""
        name = self._dice.choice((*_CONSTANTS, *_SERVICES))
        acts = ("edit", "edit", "edit_quietly", "rename", "rename_and_edit", "delete", "switch")
        act = self._dice.choice(acts)
        getattr(self, f"_{act}")(name)
        return name, act.replace("_", " ")

    def work_tree(self) -> Path:
        """Another work tree, in which every value is another."""
        self._commit()
        self._trees += 1
        other = self.home.parent / f"other{self._trees}"
        git(self.home, "worktree", "add", "-q", "--detach", str(other))
        for file in _files(other):
            text = file.read_text("utf-8")
            file.write_text(_NUMBER.sub(lambda m: str(int(m[0]) % 900 + 100), text), "utf-8")
        return other

    def _edit(self, name: str) -> None:
        self._write(_place(self.home, name) or self._file(name), name)

    def _edit_quietly(self, name: str) -> None:
        file = _place(self.home, name)
        before = file.stat() if file else None
        self._edit(name)
        if file and before:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def _rename(self, name: str) -> None:
        if file := _place(self.home, name):
            file.rename(file.with_stem(f"{file.stem}{self._dice.randrange(100)}"))
        else:
            self._edit(name)

    def _rename_and_edit(self, name: str) -> None:
        self._rename(name)
        self._edit(name)

    def _delete(self, name: str) -> None:
        file = _place(self.home, name)
        if file is not None:
            file.unlink()

    def _switch(self, _name: str) -> None:
        self._commit()
        git(self.home, "switch", "-q", self._dice.choice(("one", "two")))

    def _file(self, name: str) -> Path:
        if name in _CONSTANTS:
            return self.home / "src" / f"{name.lower()}.py"
        return self.home / "docs" / f"{name}.md"

    def _write(self, file: Path, name: str) -> None:
        value = self._dice.randrange(100, 1000)
        file.parent.mkdir(parents=True, exist_ok=True)
        if name in _CONSTANTS:
            text = f'"""A part."""\n\n{name} = {value}\n\n\ndef run():\n    return {name}\n'
        else:
            title = name.title()
            text = f"# {title}\n\n| service | port |\n|---|---|\n| {name} | {value} |\n"
        file.write_text(text, "utf-8")

    def _commit(self) -> None:
        git(self.home, "add", "-A", "src", "docs")
        git(self.home, "commit", "-q", "--allow-empty", "-m", "More")


def truth(folder: Path, name: str) -> str | None:
    """The value that the files in `folder` give `name`; None where none does."""
    value = re.compile(rf"^(?:\| )?{name}(?: =| \|) (\d+)", re.MULTILINE)
    for file in _files(folder):
        if found := value.search(file.read_text("utf-8")):
            return found[1]
    return None


def _place(folder: Path, name: str) -> Path | None:
    found = (f for f in _files(folder) if re.search(rf"\b{name}\b", f.read_text("utf-8")))
    return next(found, None)


def _files(folder: Path) -> list[Path]:
    return sorted([*folder.glob("src/*.py"), *folder.glob("docs/*.md")])


def _question(name: str) -> str:
    return f"What is the value of {name}?" if name in _CONSTANTS else f"What is the port of {name}?"


def _asked(memory: Memory, name: str) -> tuple[str, float]:
    reply = memory.ask(_question(name))
    return reply.contract.answer, reply.confidence.value


def _judge(done: str, said: str, confidence: float, value: str | None) -> int:
    """1 for a sure answer, 0 for another. Raises Broken for a sure one that the tree refutes."""
    if confidence < _SURE or said == "unknown":
        return 0
    told = {*_NUMBER.findall(said)}
    demand(told == {value}, f"{done}: {said!a} at {confidence:.2f}, and the tree says {value}")
    return 1


def _opened(place: Path, home: Path, *, read_only: bool = False) -> Memory:
    from quipu.config import Config
    from quipu.memory import Memory

    return Memory.open(place, home=home, config=Config(), embedder=None, read_only=read_only)
