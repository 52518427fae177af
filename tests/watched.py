"""What programs write and whom they ask, as the kernel sees it: they run under `strace`."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tests.cannot import cannot

__all__ = ["Watched", "watch"]

_LONGEST_S = 300
"""A program that is watched for longer hangs: a watched one takes up to a minute."""
_CALLS = (
    "bind,connect,sendto,sendmsg,sendmmsg,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2"
)
_LINE = re.compile(r"^\d+ +(?P<call>\w+)\((?P<rest>.*)")
_RESUMED = re.compile(r"^(?P<pid>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)")
_UNFINISHED = re.compile(r"^(?P<pid>\d+) (?P<begun>.*) <unfinished \.\.\.>$")
_PLACE = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|AF_INET6, )"([^"]+)"')
_LOCAL = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")
# Where glibc and systemd look a name up for a program without a socket of the network.
_RESOLVERS = re.compile(r'sun_path="[^"]*resolve')


@dataclass(frozen=True)
class Watched:
    """What a program and all that it started said, wrote and asked."""

    said: str
    written: frozenset[Path]
    asked: frozenset[str]
    """`address:port` of what is not this machine, port 53 anywhere, and resolvers."""
    bound: frozenset[str] = frozenset()
    """`address:port` where something listens or waits for datagrams."""

    def outside(self, *folders: Path) -> list[str]:
        """What was written in none of `folders`; they may have been made, with their parents."""
        return sorted(
            str(path)
            for path in self.written
            if not any(path.is_relative_to(mine) or mine.is_relative_to(path) for mine in folders)
        )


def watch(
    words: Sequence[str], *, home: Path, folder: Path, variables: Mapping[str, str] | None = None
) -> Watched:
    """Run Python with `words` in `folder`, in an environment that has nothing but `home`. What it
    writes to the folder for temporary files is told unless its name begins with `quipu-`."""
    strace = shutil.which("strace")
    if strace is None:
        cannot("strace is not installed: install Debian's package `strace`")
    trace = home.parent / f"{home.name}.trace"
    temporary = home.parent / f"{home.name}.tmp"
    for each in (home, temporary, folder):
        each.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
        **(variables or {}),
    }
    options = ["-f", "-y", "-qq", "-s", "200", "--seccomp-bpf", "-e", f"trace={_CALLS}"]
    program = [strace, *options, "-o", str(trace), sys.executable, "-P", *words]
    output = home.parent / f"{home.name}.said"
    with output.open("wb") as into:
        running = subprocess.Popen(
            program,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=into,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = running.wait(_LONGEST_S)
        except subprocess.TimeoutExpired:
            _kill_traced(running.pid)
            running.wait()
            code = None
    said = output.read_text("utf-8", "replace")
    assert code is not None, f"still running after {_LONGEST_S} s: {program}\n{said}"
    if code and re.search(r"(?i)strace: .*ptrace.*not permitted", said):
        cannot("strace may not look at programs here")
    assert code == 0, said
    seen = _read(trace.read_text("utf-8", "replace"), said, folder)
    ours = str(temporary / "quipu-")
    others = (path for path in seen.written if not str(path).startswith(ours))
    return replace(seen, written=frozenset(p for p in others if not _is_probe(p, temporary)))


def _is_probe(path: Path, temporary: Path) -> bool:
    """Whether it is the empty file by which Python tries its folder for temporary files."""
    return path.parent == temporary and re.fullmatch(r"[a-z0-9_]{8}", path.name) is not None


def _kill_traced(strace: int) -> None:
    """End what still runs under `strace`, daemons too, and then `strace` itself."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if f"TracerPid:\t{strace}\n" in status.read_text("utf-8", "replace"):
                os.kill(int(status.parent.name), signal.SIGKILL)
    os.kill(strace, signal.SIGKILL)


def _read(trace: str, said: str, folder: Path) -> Watched:
    own = _own_addresses()
    written: set[Path] = set()
    asked: set[str] = set()
    bound: set[str] = set()
    begun: dict[str, str] = {}
    for line in trace.splitlines():
        if found := _UNFINISHED.match(line):
            begun[found["pid"]] = found["begun"].strip()
            continue
        whole = line
        if found := _RESUMED.match(line):
            whole = f"{found['pid']} {begun.pop(found['pid'], '')}{found['rest']}"
        found = _LINE.match(whole)
        if found is None:
            continue
        call, rest = found["call"], found["rest"]
        if call == "bind":
            bound |= {f"{address}:{port}" for port, address in _PLACE.findall(rest)}
        elif call in {"connect", "sendto", "sendmsg", "sendmmsg"}:
            asked |= _asked(rest, own)
        elif " = -1 " not in rest:
            written |= _written(call, rest, folder)
    return Watched(said, frozenset(written), frozenset(asked), frozenset(bound))


def _asked(rest: str, own: frozenset[str]) -> set[str]:
    places = {
        f"{address}:{port}"
        for port, address in _PLACE.findall(rest)
        if port == "53" or address.removeprefix("::ffff:") not in own
    }
    return places | ({"a resolver"} if _RESOLVERS.search(rest) else set())


def _own_addresses() -> frozenset[str]:
    table = Path("/proc/net/fib_trie").read_text("utf-8")
    return frozenset(_LOCAL.findall(table)) | {"127.0.0.1", "0.0.0.0", "::1", "::"}


def _written(call: str, rest: str, folder: Path) -> set[Path]:
    """The files that are opened to be written, and what is made or renamed by its full path."""
    if call in {"openat", "open", "creat"}:
        if call != "creat" and not re.search(r"O_WRONLY|O_RDWR|O_CREAT", rest):
            return set()
        opened = re.search(r"= \d+<(.*?)(?:\(deleted\))?>$", rest)
        return {Path(opened[1])} if opened and _is_kept(opened[1]) else set()
    named = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
    paths = {folder / name for name in named[-1:]}
    return {path for path in paths if _is_kept(str(path))}


def _is_kept(path: str) -> bool:
    """No device, nothing the kernel makes up, no pipe: what outlives the program."""
    return path.startswith("/") and not path.startswith(("/dev/", "/proc/", "/sys/"))
