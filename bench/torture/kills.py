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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

from tests.servers.model_server import ModelServer
from tests.servers.page_server import PageServer

from bench.torture.material import (
    ARF_TEXTS,
    INCIDENTS,
    PLAN,
    TALK,
    commit_all,
    graph_file,
    write_home,
)
from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import OWN_STORE, Done, Kill, Limits, Talk, Warm
from bench.torture.writes import WRITES, Tool, Write, commands, unsorted_commands

__all__ = ["Kills", "cases_of"]

_BEFORE, _NOW = "2026-03-01T10:00:00.000+00:00", "2026-03-01T11:00:00.000+00:00"
_FACTS = {
    "facts": [
        {
            "subject": "Page 1",
            "predicate": "moved to",
            "object": "shelf 8",
            "valid_from": "2025-05",
            "valid_to": None,
            "quote": "It moved to shelf 8 in May 2025",
        }
    ]
}
_SECRET = "gravel-Lantern-4711x"
_PLACEHOLDER = {"{relation}": "re_", "{incident}": "inc_"}


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A folder to be copied, what an export held before and after the unkilled command, the file
    that it wrote beside the memory, how long that took and how often it wrote."""

    folder: Path
    command: tuple[str, ...]
    tool: Tool | None
    before: frozenset[str]
    after: frozenset[str]
    file: bytes | None
    wall_s: float
    writes: int


class Kills(Trial):
    """See the module."""

    name: ClassVar[str] = "kills"
    what: ClassVar[str] = "kill -9 in every writing command"
    cases: ClassVar[int] = 1000

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        super().__init__(prepared, seed, warm)
        self._model = ModelServer(reply=json.dumps(_FACTS))
        self._pages = PageServer()
        self.writes = _there()
        self._locks = {write.name: threading.Lock() for write in self.writes}
        self._ready: dict[str, _Prepared] = {}
        self._open_at = 1

    def __enter__(self) -> Self:
        self._model.__enter__()
        self._pages.__enter__()
        _give(self.prepared / "given")
        for n in range(6):
            self._pages.lay(f"/guide{n}", f"<title>Guide {n}</title><p>Ladder {n} is in Oslo.</p>")
        return self

    def __exit__(self, *_: object) -> None:
        self._pages.__exit__(None, None, None)
        self._model.close()

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Kill one command once; the commands take turns."""
        write = self.writes[number % len(self.writes)]
        if number == 0 and (left := unsorted_commands()):
            raise Broken(f"nobody said whether these commands write: {left} (writes.py)")
        with self._locks[write.name]:
            if write.name not in self._ready:
                self._ready[write.name] = self._prepare(write, hands.warm)
        prepared = self._ready[write.name]
        kill = _moment(prepared, dice)
        try:
            self._killed(write, prepared, kill, hands)
        except Broken as broken:
            raise Broken(f"{write.name}, {_said(kill)}: {broken}") from None

    def _killed(self, write: Write, prepared: _Prepared, kill: Kill, hands: Hands) -> None:
        room = hands.folder / "room"
        shutil.copytree(prepared.folder, room, symlinks=True)
        home, warm = room / "home", hands.warm
        if write.command == ("jobs", "--resume"):
            self._leave_open(write, warm, room)
        done = self._run(write, prepared, warm, home, kill)
        self._look(write, home, warm)
        stands = self._exported(write, home, warm)
        was = None if stands is None else _same(stands, room)
        if was is not None:
            _compare(write, prepared, was, confirmed=done.code == 0)
        self._run(write, prepared, warm, home, None)
        if write.command[:1] in (("ingest",), ("add",)):
            self._quipu(write, warm, home, "jobs", "--resume", now=_NOW)
        self._look(write, home, warm)
        ends = self._exported(write, home, warm)
        if ends is not None:
            different = _same(ends, room) ^ prepared.after
            _demand(not different, f"the same command again gives other records: {_few(different)}")
        _demand(_bytes(home, write.file) == prepared.file, f"{write.file} is not what it is to be")
        if "forget" in write.command and "docs/p01.md" in write.command:
            _demand(not _holds(home / ".quipu", b"Zymurgy1 "), "forgotten text is still on disk")
        if write.command == ("rescan",):
            _demand(not _holds(home / ".quipu", _SECRET.encode()), "a secret is still on disk")

    def _prepare(self, write: Write, warm: Warm) -> _Prepared:
        """Make the folder, and see what the unkilled command does in a copy of it."""
        folder = self.prepared / write.name.replace(" ", "_")
        home = folder / "home"
        home.mkdir(parents=True)
        shutil.copytree(self.prepared / "given", folder / "given")
        _expect(self._quipu(write, warm, home, "init"))
        write_home(home)
        for step in write.first:
            self._first(write, step, warm, folder)
        before = self._exported(write, home, warm) or ()
        ids = "\n".join(sorted(before))
        given = str(self.prepared / "given")
        command = tuple(_filled(w.replace("{given}", given), ids) for w in write.command)
        tool = write.tool
        if tool:
            tool = Tool(
                tool.profile, tool.name, json.loads(_filled(json.dumps(tool.arguments), ids))
            )
        once = self.prepared / "once" / write.name.replace(" ", "_")
        shutil.copytree(folder, once, symlinks=True)
        if write.command == ("jobs", "--resume"):
            self._leave_open(write, warm, once)
        ready = _Prepared(folder, command, tool, _same(before, folder), frozenset(), None, 3.0, 0)
        done = self._run(write, ready, warm, once / "home", None, count=not write.file)
        after = self._exported(write, once / "home", warm) or ()
        ready = replace(
            ready,
            after=_same(after, once),
            file=_bytes(once / "home", write.file),
            wall_s=done.wall_s,
            writes=done.writes or 0,
        )
        if not write.unseen and ready.before == ready.after:
            raise Broken(f"the unkilled command changes nothing: {(done.err or done.out)[-300:]}")
        return ready

    def _first(self, write: Write, step: tuple[str, ...] | Tool, warm: Warm, folder: Path) -> None:
        home = folder / "home"
        if isinstance(step, Tool):
            _expect(self._talk(write, warm, home, step, None, _BEFORE))
        elif step == ("change",):
            write_home(home, files=20, seed=1)
            (home / "docs/p21.md").unlink()
            (home / "docs/p22.md").rename(home / "docs/q22.md")
        elif step == ("empty",):
            shutil.rmtree(home / ".quipu")
            _expect(self._quipu(write, warm, home, "init"))
        elif step == ("unredacted",):
            place, limits = "bench.torture.inside:keep_secret", Limits(now=_BEFORE)
            words = ("Marker3 Zymurgy3", f"password: {_SECRET}")
            _expect(warm.call(place, *words, cwd=home, env=self._env(write), limits=limits))
        elif step == ("older",):
            env = self._env(write) | {"QUIPU_EMBED_MODEL": "compatible:older"}
            limits = Limits(now=_BEFORE)
            _expect(warm.quipu("index", ".", cwd=home, env=env, limits=limits))
        else:
            ids = "\n".join(sorted(self._exported(write, home, warm) or ()))
            _expect(self._quipu(write, warm, home, *(_filled(word, ids) for word in step)))

    def _leave_open(self, write: Write, warm: Warm, room: Path) -> None:
        """Kill an ingest of transcripts at the first of its writes that leaves its job open. A job
        belongs to the place of its store: it is left in the very room."""
        command = ("ingest", "../given/talk.jsonl")
        home, fresh = room / "home", room / "fresh"
        shutil.copytree(home, fresh)
        for at_write in range(self._open_at, 500):
            self._quipu(write, warm, home, *command, kill=Kill(at_write=at_write))
            listed = json.loads(self._quipu(write, warm, home, "jobs", "--json").out)
            if any(job["status"] in ("accepted", "running") for job in listed["jobs"]):
                self._open_at = at_write
                break
            shutil.rmtree(home)
            shutil.copytree(fresh, home)
        shutil.rmtree(fresh)

    def _run(
        self,
        write: Write,
        prepared: _Prepared,
        warm: Warm,
        home: Path,
        kill: Kill | None,
        *,
        count: bool = False,
    ) -> Done:
        """Run the command itself; what it says is checked unless it was killed."""
        kill = kill or (Kill(at_write=0) if count else None)
        if prepared.tool:
            done = self._talk(write, warm, home, prepared.tool, kill, _NOW)
        elif write.fetches:
            urls = ",".join(self._pages.url(f"/guide{n}") for n in range(6))
            place = "bench.torture.inside:ingest_pages"
            limits = Limits(now=_NOW)
            port = str(self._pages.port)
            done = warm.call(
                place, port, urls, cwd=home, env=self._env(write), kill=kill, limits=limits
            )
        else:
            endless = write.command == ("watch",) and (kill is None or kill.at_write == 0)
            command = ("index", ".") if endless else prepared.command
            done = self._quipu(write, warm, home, *command, kill=kill, now=_NOW)
        return done if done.was_killed else _honest(done)

    def _talk(
        self, write: Write, warm: Warm, home: Path, tool: Tool, kill: Kill | None, now: str
    ) -> Done:
        talk = Talk(tool.lines(), tool.until)
        command = ("mcp", "--profile", tool.profile)
        limits = Limits(now=now)
        return warm.quipu(
            *command, cwd=home, env=self._env(write), kill=kill, talk=talk, limits=limits
        )

    def _quipu(
        self,
        write: Write,
        warm: Warm,
        home: Path,
        *words: str,
        kill: Kill | None = None,
        now: str = _BEFORE,
    ) -> Done:
        limits = Limits(now=now)
        return warm.quipu(*words, cwd=home, env=self._env(write), kill=kill, limits=limits)

    def _env(self, write: Write) -> dict[str, str]:
        chat = OWN_STORE | {
            "QUIPU_CHAT_MODEL": "compatible:tiny",
            "QUIPU_CHAT_BASE_URL": self._model.base_url,
        }
        if not write.embeds:
            return {"QUIPU_EMBED_MODEL": "none", **chat}
        embed = {"MODEL": "compatible:hash", "BASE_URL": self._model.base_url, "DIMENSION": "32"}
        return chat | {f"QUIPU_EMBED_{key}": value for key, value in embed.items()}

    def _look(self, write: Write, home: Path, warm: Warm) -> None:
        """The memory is whole, its report files can be read, and so can what was written."""
        if (home / ".quipu" / "quipu.db").exists():
            done = self._quipu(write, warm, home, "doctor", "--json")
            failed = [c["detail"] for c in json.loads(done.out)["checks"] if c["status"] == "fail"]
            _demand(not failed, f"doctor says {failed}")
        for report in (home / ".quipu").glob("*.json"):
            json.loads(report.read_bytes())
        if write.file and (home / write.file).exists() and write.file.endswith((".json", ".jsonl")):
            for line in _documents(home / write.file):
                json.loads(line)

    def _exported(self, write: Write, home: Path, warm: Warm) -> list[str] | None:
        """The lines of an export; None when there is no memory yet."""
        if not (home / ".quipu" / "quipu.db").exists():
            return None
        file = home.parent / "exported.jsonl"
        vectors = ("--vectors",) if write.embeds else ()
        _expect(self._quipu(write, warm, home, "export", *vectors, "--force", str(file)))
        lines = file.read_text("utf-8").splitlines()[1:]
        if write.command == ("reflect",):  # no export holds reports: they are made again
            asked = ("search", "--mode", "global", "--json", "what is owned by the teams?")
            lines.append(_expect(self._quipu(write, warm, home, *asked, now=_NOW)).out)
        return lines


def cases_of(name: str, count: int) -> list[int]:
    """The first `count` cases that kill the write called so."""
    names = [write.name for write in _there()]
    return [names.index(name) + turn * len(names) for turn in range(count)]


def _there() -> list[Write]:
    """What can be killed: a command that this version has, or a tool."""
    return [write for write in WRITES if write.tool or _words(write)]


def _moment(prepared: _Prepared, dice: random.Random) -> Kill:
    if prepared.writes and dice.random() < 0.5:
        return Kill(at_write=dice.randint(1, prepared.writes))
    return Kill(after_s=dice.random() * prepared.wall_s)


def _said(kill: Kill) -> str:
    if kill.at_write is not None:
        return f"killed at write {kill.at_write}"
    return f"killed after {kill.after_s:.3f} s"


def _compare(write: Write, prepared: _Prepared, was: frozenset[str], *, confirmed: bool) -> None:
    """What stands after the kill, beside what stood before and what the command brings."""
    lost = (prepared.before & prepared.after) - was
    _demand(not lost, f"what was acknowledged before is gone: {_few(lost)}")
    odd = was - prepared.before - prepared.after
    _demand(not odd, f"records that no whole run writes: {_few(odd)}")
    if confirmed:
        missing = was ^ prepared.after
        _demand(not missing, f"it had confirmed, and yet differs: {_few(missing)}")
    if write.whole and was not in (prepared.before, prepared.after):
        missing = sorted(prepared.after - was)
        raise Broken(f"half of it is in; missing are {len(missing)}: {_few(missing)}")


def _same(lines: list[str] | tuple[str, ...], room: Path) -> frozenset[str]:
    """The lines without the place of the folder."""
    return frozenset(line.replace(str(room), "ROOM") for line in lines)


def _filled(word: str, ids: str) -> str:
    for placeholder, prefix in _PLACEHOLDER.items():
        if placeholder in word:
            found = re.search(rf"\b{prefix}[0-9a-f]{{24}}\b", ids)
            assert found, f"the prepared memory holds no {placeholder}"
            word = word.replace(placeholder, found[0])
    return word


def _honest(done: Done) -> Done:
    """A command that ends says what is wrong in a line of its own."""
    raw = "Traceback" in done.err or "this should not happen" in done.err
    _demand(not raw and done.code in (0, 1, 2), f"exit {done.code}: {done.err.strip()[-300:]}")
    return done


def _expect(done: Done) -> Done:
    _demand(done.code == 0, f"exit {done.code}: {(done.err or done.out).strip()[-300:]}")
    return done


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Broken(otherwise)


def _few(lines: object) -> str:
    return " | ".join(line[:300] for line in sorted(lines)[:2])  # type: ignore[call-overload]


def _documents(file: Path) -> list[bytes]:
    data = file.read_bytes()
    return data.splitlines() if file.suffix == ".jsonl" else [data]


def _bytes(home: Path, file: str) -> bytes | None:
    """What stands in `file`; None when it is not there, or none is written."""
    return (home / file).read_bytes() if file and (home / file).exists() else None


def _holds(folder: Path, text: bytes) -> bool:
    return any(text in each.read_bytes() for each in folder.rglob("*") if each.is_file())


def _words(write: Write) -> str:
    """The longest beginning of the command that is a name of one."""
    return next(
        (" ".join(write.command[:n]) for n in (2, 1) if " ".join(write.command[:n]) in commands()),
        "",
    )


def _give(folder: Path) -> None:
    """What the commands are given: transcripts, tasks, incidents, a repository, a FAISS index."""
    from bench.torture.inside import write_arf

    folder.mkdir(parents=True)
    (folder / "talk.jsonl").write_text(TALK)
    (folder / "plan.json").write_text(PLAN)
    (folder / "incidents.jsonl").write_text(INCIDENTS)
    graph_file(folder / "memory.jsonl")
    write_arf(folder / "arf", ARF_TEXTS)
    commit_all(folder / "repo")
    values = folder / "values"
    values.mkdir()
    (values / "value_ledger.json").write_text(
        json.dumps({"entries": [{"script": "a.py", "hours_saved": 2}], "total": 2})
    )
