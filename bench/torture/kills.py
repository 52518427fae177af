"""Kill -9 in every command that writes, at seeded moments: nothing is lost, nothing is half.

Half of the kills come in the place of a write to a file of SQLite's, drawn among those that the
unkilled command made; half at a moment drawn within the time that it took. After each kill: the
memory is whole (`doctor`), what was in it and is to stay is in it, nothing is in it that the
whole command would not have put there, a command that is whole or nothing is so; and the same
command again brings exactly what an unkilled one brings.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

from tests.servers.model_server import ModelServer
from tests.servers.page_server import PageServer

from bench.torture.material import write_given, write_home
from bench.torture.trial import (
    BEFORE,
    NOW,
    Broken,
    Hands,
    Trial,
    demand,
    exported,
    honest,
    require_whole,
    succeed,
)
from bench.torture.warm import OWN_STORE, Done, Kill, Limits, Talk, Warm
from bench.torture.writes import WRITES, Tool, Write, commands, unsorted_commands

__all__ = ["Kills", "cases_of"]

_FACT = {
    "subject": "Page 1",
    "predicate": "moved to",
    "object": "shelf 8",
    "valid_from": "2025-05",
    "valid_to": None,
    "quote": "It moved to shelf 8 in May 2025",
}
_SECRET = "gravel-Lantern-4711x"
_PLACEHOLDER = {"{relation}": "re_", "{incident}": "inc_"}
_GLOBAL = ("search", "--mode", "global", "--json", "what is owned by the teams?")
_RESUME = ("jobs", "--resume")


@dataclass(frozen=True, slots=True)
class _Room:
    """A copy of the prepared folder, and what commands run in it."""

    write: Write
    warm: Warm
    home: Path
    env: Mapping[str, str]

    def quipu(
        self, *words: str, kill: Kill | None = None, now: str = BEFORE, talk: Talk | None = None
    ) -> Done:
        limits = Limits(now=now)
        return self.warm.quipu(
            *words, cwd=self.home, env=self.env, kill=kill, limits=limits, talk=talk
        )

    def call(self, name: str, *words: str, now: str = BEFORE, kill: Kill | None = None) -> Done:
        limits, place = Limits(now=now), f"bench.torture.inside:{name}"
        return self.warm.call(place, *words, cwd=self.home, env=self.env, kill=kill, limits=limits)

    def talk(self, tool: Tool, *, kill: Kill | None = None, now: str = BEFORE) -> Done:
        spoken = Talk(tool.lines(), tool.until)
        return self.quipu("mcp", "--profile", tool.profile, kill=kill, now=now, talk=spoken)

    @property
    def has_memory(self) -> bool:
        return (self.home / ".quipu" / "quipu.db").exists()

    @property
    def file(self) -> bytes | None:
        """What stands in the file that the command writes beside the memory."""
        path = self.home / self.write.file
        return path.read_bytes() if self.write.file and path.exists() else None

    def lines(self) -> list[str]:
        """The lines of an export; none when there is no memory yet."""
        if not self.has_memory:
            return []
        vectors = ("--vectors",) if self.write.embeds else ()
        lines = exported(self.warm, self.home, *vectors, env=self.env, now=BEFORE)
        if self.write.command == ("reflect",):  # no export holds reports: they are made again
            lines.append(succeed(self.quipu(*_GLOBAL, now=NOW)).out)
        return lines

    def records(self) -> frozenset[str]:
        """The lines, without the place of the folder."""
        return frozenset(line.replace(str(self.home.parent), "ROOM") for line in self.lines())

    def look(self) -> None:
        """Broken unless the memory is whole, and its reports and what was written can be read."""
        if self.has_memory:
            require_whole(self.quipu("doctor", "--json"))
        for report in (self.home / ".quipu").glob("*.json"):
            json.loads(report.read_bytes())
        if (data := self.file) is not None and ".json" in self.write.file:
            for line in data.splitlines() if self.write.file.endswith("l") else [data]:
                json.loads(line)

    def holds(self, text: str) -> bool:
        files = (each for each in (self.home / ".quipu").rglob("*") if each.is_file())
        return any(text.encode() in each.read_bytes() for each in files)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A folder to be copied, what an export held before and after the unkilled command, the file
    that it wrote beside the memory, how long that took and how often it wrote."""

    folder: Path
    command: tuple[str, ...]
    tool: Tool | None
    before: frozenset[str]
    after: frozenset[str] = frozenset()
    file: bytes | None = None
    wall_s: float = 3.0
    writes: int = 0


class Kills(Trial):
    """See the module."""

    name: ClassVar[str] = "kills"
    what: ClassVar[str] = "kill -9 in writing commands and tools"
    cases: ClassVar[int] = 1000

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        super().__init__(prepared, seed, warm)
        self._model = ModelServer(reply=json.dumps({"facts": [_FACT]}))
        self._pages = PageServer()
        self.writes = _there()
        self._locks = {write.name: threading.Lock() for write in self.writes}
        self._ready: dict[str, _Prepared] = {}
        self._open_at = 1

    def __enter__(self) -> Self:
        self._model.__enter__()
        self._pages.__enter__()
        write_given(self.prepared / "given", all_kinds=True)
        for n in range(6):
            self._pages.lay(f"/guide{n}", f"<title>Guide {n}</title><p>Ladder {n} is in Oslo.</p>")
        return self

    def __exit__(self, *_: object) -> None:
        self._pages.__exit__(None, None, None)
        self._model.close()

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Kill one command once; the commands take turns."""
        write = self.writes[number % len(self.writes)]
        if number == 0:
            left = unsorted_commands()
            demand(not left, f"nobody said whether these commands write: {left} (writes.py)")
        with self._locks[write.name]:
            if write.name not in self._ready:
                self._ready[write.name] = self._prepare(write, hands.warm)
        prepared = self._ready[write.name]
        if prepared.writes and dice.random() < 0.5:
            kill = Kill(at_write=dice.randint(1, prepared.writes))
        else:
            kill = Kill(after_s=dice.random() * prepared.wall_s)
        room = self._room(write, hands.warm, prepared.folder, hands.folder / "room")
        try:
            self._killed(room, prepared, kill)
        except Broken as broken:
            raise Broken(f"{write.name}, {kill}: {broken}") from None

    def _room(self, write: Write, warm: Warm, source: Path | None, folder: Path) -> _Room:
        """A room in `folder`, a copy of `source`; its commands use the models of this trial."""
        if source is not None:
            shutil.copytree(source, folder, symlinks=True)
        url = self._model.base_url
        env = OWN_STORE | {"QUIPU_CHAT_MODEL": "compatible:tiny", "QUIPU_CHAT_BASE_URL": url}
        model = {"MODEL": "compatible:hash", "BASE_URL": url, "DIMENSION": "32"}
        for key, value in (model if write.embeds else {"MODEL": "none"}).items():
            env[f"QUIPU_EMBED_{key}"] = value
        return _Room(write, warm, folder / "home", env)

    def _killed(self, room: _Room, prepared: _Prepared, kill: Kill) -> None:
        write = room.write
        if write.command == _RESUME:
            self._leave_open(room)
        done = self._run(room, prepared, kill)
        room.look()
        if room.has_memory:
            _compare(write, prepared, room.records(), confirmed=done.code == 0)
        self._run(room, prepared, None)
        if write.command[:1] in (("ingest",), ("add",)):
            room.quipu(*_RESUME, now=NOW)
        room.look()
        if room.has_memory:
            different = room.records() ^ prepared.after
            demand(not different, f"the same command again gives other records: {_few(different)}")
        demand(room.file == prepared.file, f"{write.file} is not what it is to be")
        if "forget" in write.command and "docs/p01.md" in write.command:
            demand(not room.holds("Zymurgy1 "), "forgotten text is still on disk")
        if write.command == ("rescan",):
            demand(not room.holds(_SECRET), "a secret is still on disk")

    def _prepare(self, write: Write, warm: Warm) -> _Prepared:
        """Make the folder, and see what the unkilled command does in a copy of it."""
        folder = self.prepared / write.name.replace(" ", "_")
        room = self._room(write, warm, None, folder)
        room.home.mkdir(parents=True)
        shutil.copytree(self.prepared / "given", folder / "given")
        succeed(room.quipu("init"))
        write_home(room.home)
        for step in write.first:
            self._first(room, step)
        ids = "\n".join(sorted(room.lines()))
        given = str(self.prepared / "given")
        command = tuple(_filled(w.replace("{given}", given), ids) for w in write.command)
        tool = write.tool and replace(
            write.tool, arguments=json.loads(_filled(json.dumps(write.tool.arguments), ids))
        )
        ready = _Prepared(folder, command, tool, room.records())
        once = self._room(
            write, warm, folder, self.prepared / "once" / write.name.replace(" ", "_")
        )
        if write.command == _RESUME:
            self._leave_open(once)
        done = self._run(once, ready, None if write.file else Kill(at_write=0))
        after = once.records()
        unseen = bool(write.file) or write.command[:1] == ("init",)
        said = (done.err or done.out)[-300:]
        demand(unseen or ready.before != after, f"the unkilled command changes nothing: {said}")
        return replace(
            ready, after=after, file=once.file, wall_s=done.wall_s, writes=done.writes or 0
        )

    def _first(self, room: _Room, step: tuple[str, ...] | Tool) -> None:
        home = room.home
        match step:
            case Tool():
                succeed(room.talk(step))
            case ("change",):
                write_home(home, files=20, seed=1)
                (home / "docs/p21.md").unlink()
                (home / "docs/p22.md").rename(home / "docs/q22.md")
            case ("empty",):
                shutil.rmtree(home / ".quipu")
                succeed(room.quipu("init"))
            case ("unredacted",):
                succeed(room.call("keep_secret", "Marker3 Zymurgy3", f"password: {_SECRET}"))
            case ("older",):
                env = {**room.env, "QUIPU_EMBED_MODEL": "compatible:older"}
                succeed(replace(room, env=env).quipu("index", "."))
            case _:
                ids = "\n".join(sorted(room.lines()))
                succeed(room.quipu(*(_filled(word, ids) for word in step)))

    def _leave_open(self, room: _Room) -> None:
        """Kill an ingest of transcripts at the first of its writes that leaves its job open."""
        home, fresh = room.home, room.home.parent / "fresh"
        shutil.copytree(home, fresh)
        for at_write in range(self._open_at, 500):
            room.quipu("ingest", "../given/talk.jsonl", kill=Kill(at_write=at_write))
            listed = json.loads(room.quipu("jobs", "--json").out)
            if any(job["status"] in ("accepted", "running") for job in listed["jobs"]):
                self._open_at = at_write
                break
            shutil.rmtree(home)
            shutil.copytree(fresh, home)
        shutil.rmtree(fresh)

    def _run(self, room: _Room, prepared: _Prepared, kill: Kill | None) -> Done:
        """Run the command itself; what it says is checked unless it was killed."""
        write = room.write
        if prepared.tool:
            done = room.talk(prepared.tool, kill=kill, now=NOW)
        elif write.fetches:
            urls = ",".join(self._pages.url(f"/guide{n}") for n in range(6))
            done = room.call("ingest_pages", str(self._pages.port), urls, now=NOW, kill=kill)
        else:
            endless = write.command == ("watch",) and (kill is None or kill.at_write == 0)
            done = room.quipu(
                *(("index", ".") if endless else prepared.command), kill=kill, now=NOW
            )
        return done if done.was_killed else honest(done, codes=(0, 1, 2))


def cases_of(name: str, count: int) -> list[int]:
    """The first `count` cases that kill the write called so."""
    names = [write.name for write in _there()]
    return [names.index(name) + turn * len(names) for turn in range(count)]


def _there() -> list[Write]:
    """What can be killed: a command that this version has, or a tool."""
    known = commands()
    return [w for w in WRITES if w.tool or known & {" ".join(w.command[:n]) for n in (1, 2)}]


def _compare(write: Write, prepared: _Prepared, was: frozenset[str], *, confirmed: bool) -> None:
    """What stands after the kill, beside what stood before and what the command brings."""
    lost = (prepared.before & prepared.after) - was
    demand(not lost, f"what was acknowledged before is gone: {_few(lost)}")
    odd = was - prepared.before - prepared.after
    demand(not odd, f"records that no whole run writes: {_few(odd)}")
    missing = was ^ prepared.after
    demand(not (confirmed and missing), f"it had confirmed, and yet differs: {_few(missing)}")
    half = write.whole and was not in (prepared.before, prepared.after)
    demand(not half, f"half of it is in; missing: {_few(prepared.after - was)}")


def _filled(word: str, ids: str) -> str:
    for placeholder, prefix in _PLACEHOLDER.items():
        if placeholder in word:
            found = re.search(rf"\b{prefix}[0-9a-f]{{24}}\b", ids)
            assert found, f"the prepared memory holds no {placeholder}"
            word = word.replace(placeholder, found[0])
    return word


def _few(lines: Iterable[str]) -> str:
    return " | ".join(line[:300] for line in sorted(lines)[:2])
