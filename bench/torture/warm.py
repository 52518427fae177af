"""A warm interpreter: everything is imported once, and each command is a fork of it.

The commands are real processes that write real files, and start in milliseconds instead of a
second; so a thousand of them can be killed in minutes. `Warm` is the side that asks;
`python -m bench.torture.warm` is the interpreter, which takes a request a line.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, Self

import apsw

__all__ = ["OWN_STORE", "Done", "Kill", "Limits", "Talk", "Warm"]

OWN_STORE = {"QUIPU_STORE_URL": ".quipu/quipu.db"}
"""Names the store: a `.quipu` that was copied counts only with the user's word."""

_TIMEOUT_S = 300.0
_ROOT = Path(__file__).parents[2]


class Kill(NamedTuple):
    """When a process is killed (SIGKILL): so many seconds after its start, or in place of its
    n-th write to a file of SQLite's (1 is the first; at 0 they are only counted)."""

    after_s: float | None = None
    at_write: int | None = None


class Limits(NamedTuple):
    """What a process may use: bytes of one file, a longest time, seconds of a processor, bytes of
    address space; and when it is (an instant): its clock stands still, so that two runs can be
    compared."""

    file_bytes: int | None = None
    timeout_s: float = _TIMEOUT_S
    now: str | None = None
    cpu_s: int | None = None
    space_bytes: int | None = None


class Talk(NamedTuple):
    """Lines for standard input, which stays open until a line that holds `until` came back."""

    lines: tuple[str, ...]
    until: str


class Done(NamedTuple):
    """How a process ended: its exit code (negative: the signal), what it printed, how long it
    took, how often SQLite wrote (None when it was killed), and its largest memory in MB."""

    code: int
    out: str
    err: str
    wall_s: float
    writes: int | None
    peak_mb: float

    @property
    def was_killed(self) -> bool:
        """Whether SIGKILL ended it."""
        return self.code == -signal.SIGKILL


class Warm:
    """The side that asks: runs commands in forks of one warm interpreter, one at a time. The
    interpreter is started by the first of them, and ends with the block."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def quipu(
        self,
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        kill: Kill | None = None,
        limits: Limits | None = None,
        talk: Talk | None = None,
    ) -> Done:
        """Run `quipu ARGUMENTS` in `cwd`; `env` is added to a small environment."""
        return self.call("quipu", *arguments, cwd=cwd, env=env, kill=kill, limits=limits, talk=talk)

    def call(
        self,
        place: str,
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        kill: Kill | None = None,
        limits: Limits | None = None,
        talk: Talk | None = None,
    ) -> Done:
        """Run the function at `module:name` with text arguments; what it gives is printed."""
        request = {
            "place": place,
            "arguments": list(arguments),
            "cwd": str(cwd),
            "env": dict(env or {}),
            "kill": list(kill or Kill()),
            "limits": list(limits or Limits()),
            "talk": list(talk) if talk else None,
        }
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return Done(*json.loads(process.stdout.readline()))

    def _start(self) -> subprocess.Popen[str]:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.torture.warm"],
            cwd=_ROOT,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "warm\n"
        return self._process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.communicate()


class _CountingVFS(apsw.VFS):
    """SQLite's own files, counting what is done to them; at one number the process dies."""

    def __init__(self, die_at: int | None) -> None:
        self.count = 0
        self._die_at = die_at
        self.below = apsw.vfs_names()[0]  # the default, which this takes the place of
        super().__init__("counting", self.below, makedefault=True)

    def touch(self) -> None:
        """One more write; the process is killed in its place if it is the one."""
        self.count += 1
        if self.count == self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def xOpen(self, name: Any, flags: list[int]) -> _CountingFile:  # noqa: N802
        return _CountingFile(self, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        self.touch()
        super().xDelete(name, sync)


class _CountingFile(apsw.VFSFile):
    def __init__(self, vfs: _CountingVFS, name: Any, flags: list[int]) -> None:
        self._vfs = vfs
        super().__init__(vfs.below, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._vfs.touch()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._vfs.touch()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._vfs.touch()
        super().xTruncate(size)


def _serve() -> int:
    """Fork for every request; in a fork it comes back with the exit code."""
    _import_everything()
    gc.collect()
    gc.freeze()  # or a fork would copy all of it when it collects
    print("warm", flush=True)
    for line in iter(sys.stdin.readline, ""):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            pipes = os.pipe(), os.pipe(), os.pipe()  # its input, its output, how often it wrote
            request = json.loads(line)
            began = time.monotonic()
            pid = os.fork()
            if not pid:
                _leave(_child(request, pipes, err))
            for mine in (pipes[0][0], pipes[1][1], pipes[2][1]):
                os.close(mine)
            timed_out = _watch(pid, request, pipes[0][1], pipes[1][0], out)
            _, status, used = os.wait4(pid, 0)
            wall_s = time.monotonic() - began
            counted = os.read(pipes[2][0], 20)
            for mine in (pipes[1][0], pipes[2][0]):
                os.close(mine)
            done = Done(
                os.waitstatus_to_exitcode(status),
                _whole(out),
                _whole(err) + timed_out,
                wall_s,
                int(counted) if counted else None,
                used.ru_maxrss / 1024,
            )
        print(json.dumps(done), flush=True)
    return 0


def _watch(pid: int, request: dict[str, Any], to_it: int, from_it: int, out: IO[bytes]) -> str:
    """Talk with the process and read what it prints until it ends, is killed or takes too long;
    what is to be said of that."""
    kill, limits = Kill(*request["kill"]), Limits(*request["limits"])
    lines, until = request["talk"] or ((), None)
    with contextlib.suppress(BrokenPipeError):
        os.write(to_it, "".join(f"{line}\n" for line in lines).encode())
    if until is None:
        os.close(to_it)
    ends = time.monotonic() + (limits.timeout_s if kill.after_s is None else kill.after_s)
    said = b""
    while (rest := ends - time.monotonic()) > 0:
        if not select.select([from_it], [], [], rest)[0]:
            break
        piece = os.read(from_it, 1 << 16)
        if not piece:
            break
        out.write(piece)
        said += piece if until else b""
        if until and until.encode() in said:
            os.close(to_it)
            until = None
    if until:
        os.close(to_it)
    if _ended(pid, ends):
        return ""
    os.kill(pid, signal.SIGKILL)
    return "" if kill.after_s is not None else f"[ended after {limits.timeout_s:g} s]"


def _ended(pid: int, until: float) -> bool:
    """Whether the process has ended; it may print no more and still work until then."""
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.002)
    return True


def _whole(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def _child(request: dict[str, Any], pipes: tuple[tuple[int, int], ...], err: IO[bytes]) -> int:
    """Become the command that was asked for."""
    for descriptor, number in ((pipes[0][0], 0), (pipes[1][1], 1), (err.fileno(), 2)):
        os.dup2(descriptor, number)
    for theirs in (pipes[0][0], pipes[0][1], pipes[1][0], pipes[1][1], pipes[2][0]):
        os.close(theirs)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it lasts as long as we do
    os.chdir(request["cwd"])
    kept = {key: os.environ[key] for key in ("PATH", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    os.environ.clear()
    os.environ.update(kept | {"HOME": f"{request['cwd']}-user", "LANG": "C.UTF-8"} | request["env"])
    limits = Limits(*request["limits"])
    if limits.file_bytes is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write past it then fails, as on a disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
    if limits.cpu_s is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s))
    if limits.space_bytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (limits.space_bytes, limits.space_bytes))
    if limits.now is not None:
        _stop_clock(datetime.fromisoformat(limits.now))
    at_write = Kill(*request["kill"]).at_write
    if at_write is not None:
        vfs = _CountingVFS(at_write)
        atexit.register(lambda: os.write(pipes[2][1], str(vfs.count).encode()))
    place, arguments = request["place"], request["arguments"]
    try:
        if place == "quipu":
            from quipu.serve.cli import cli

            cli.main(arguments)
        module, _, name = place.partition(":")
        print(json.dumps(getattr(importlib.import_module(module), name)(*arguments)))
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    return 0


def _stop_clock(moment: datetime) -> None:
    from quipu.when import instants

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromisoformat(moment.astimezone(tz).isoformat())

    instants.datetime = Stopped  # type: ignore[misc]


def _leave(code: int) -> NoReturn:
    """End as an interpreter ends, but without taking the warm modules apart one by one."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _import_everything() -> None:
    import quipu

    elsewhere = ("quipu.serve.lang", "quipu.serve.llama")
    for module in pkgutil.walk_packages(quipu.__path__, "quipu."):
        if not module.name.startswith(elsewhere) and not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    with contextlib.suppress(ImportError):
        importlib.import_module("openai")


if __name__ == "__main__":
    sys.exit(_serve())
