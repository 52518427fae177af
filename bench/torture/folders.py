"""Hostile folders: nothing in a folder runs, is fetched, leaves it, or hides what stands beside it.

Each folder sets one trap: a program that `.git/config` names, a server that settings name, a
store that came with the folder, a link that leads out, a name that breaks a line. A program of
the trap would touch a file, and a server on this machine counts connections: both stay at none,
and no secret from outside the folder is stored.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bench.torture.material import commit_all, write_home
from bench.torture.trial import Broken, Hands, Trial, demand
from bench.torture.warm import Limits

__all__ = ["TRAPS", "Folders", "Listener", "Trap"]

_SECRET = "zqsecretzq"


class Listener:
    """A server on this machine that takes connections and answers nothing; it counts them."""

    def __init__(self) -> None:
        self.count = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.count += 1
            connection.close()


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a trap is laid: the folder, a program that touches `marker`, the listening port, and
    a file outside that holds a secret."""

    home: Path
    program: Path
    marker: Path
    port: int
    outside: Path


@dataclass(frozen=True, slots=True)
class Trap:
    """`lay` lays it. `own` settings are the trap: then none is given by the environment."""

    name: str
    lay: Callable[[Setting], None]
    own: bool = False


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def _config(text: str) -> Callable[[Setting], None]:
    """A line of `.git/config`; `{program}` and `{port}` are filled in."""

    def lay(at: Setting) -> None:
        commit_all(at.home)
        with (at.home / ".git" / "config").open("a") as config:
            config.write(text.format(program=at.program, port=at.port))

    return lay


def _signed(at: Setting) -> None:
    commit_all(at.home)
    head = _git(at.home, "cat-file", "commit", "HEAD")
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"
    signed = head.replace(b"\n\n", b"\n" + signature, 1)
    made = _git(at.home, "hash-object", "-t", "commit", "-w", "--stdin", given=signed)
    _git(at.home, "reset", "-q", "--soft", made.decode().strip())
    with (at.home / ".git" / "config").open("a") as config:
        config.write(f"[log]\nshowSignature = true\n[gpg]\nprogram = {at.program}\n")


def _promised(remote: str) -> Callable[[Setting], None]:
    """A partial clone that lacks an object, which git would fetch from `remote`."""

    def lay(at: Setting) -> None:
        commit_all(at.home)
        tree = _git(at.home, "rev-parse", "HEAD^{tree}").decode().strip()
        (at.home / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        url = remote.format(program=at.program, port=at.port)
        with (at.home / ".git" / "config").open("a") as config:
            config.write(
                f'[extensions]\npartialClone = x\n[remote "x"]\nurl = {url}\n'
                "promisor = true\n[protocol]\nallow = always\n"
            )
            config.write("[core]\nrepositoryformatversion = 1\n")

    return lay


def _hooks(at: Setting) -> None:
    commit_all(at.home)
    for name in "post-index-change fsmonitor-watchman reference-transaction post-checkout".split():
        shutil.copy(at.program, at.home / ".git" / "hooks" / name)


def _attributes(at: Setting) -> None:
    (at.home / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    _config(
        '[filter "evil"]\nclean = {program}\nsmudge = {program}\nrequired = true\n'
        '[diff "evil"]\ntextconv = {program}\ncommand = {program}\n'
    )(at)


def _settings(name: str, text: str) -> Callable[[Setting], None]:
    def lay(at: Setting) -> None:
        filled = text.format(port=at.port, outside=at.outside)
        (at.home / name).write_text(filled)

    return lay


def _links(at: Setting) -> None:
    (at.home / "out.md").symlink_to(at.outside)
    (at.home / "up").symlink_to("..")
    (at.home / "loop").symlink_to("loop")
    (at.home / "self").symlink_to(".")
    os.link(at.home / "docs/p00.md", at.home / "hard.md")
    (at.home / "null.md").symlink_to("/dev/zero")
    (at.home / "proc").symlink_to("/proc/self")


def _odd_files(at: Setting) -> None:
    os.mkfifo(at.home / "pipe.md")
    os.mkfifo(at.home / "quipu.pipe")
    server = socket.socket(socket.AF_UNIX)
    if len(str(at.home)) < 90:  # as long as an address of a socket may be
        server.bind(str(at.home / "socket.md"))
    server.close()
    (at.home / "unreadable.md").write_text("# No\n")
    (at.home / "unreadable.md").chmod(0)
    (at.home / "closed").mkdir(mode=0)


def _names(at: Setting) -> None:
    names = (
        *("a\nb.md", "a\x1b[31mb.md", "\u202emd.exe", "-rf.md", "--help", "a\tb.md", "%s{0}.md"),
        *("'; drop table entry;--.md", "$(touch x).md", "`touch x`.md", " .md", "a" * 240 + ".md"),
        *("con.md", "..md", "\\..\\x.md", ":(top)x.md", "é.md", "e\u0301.md"),
    )
    for name in names:
        (at.home / name).write_text(f"# Named\n\nAs {name!a}.\n")
    raw = os.fsencode(at.home)
    for odd in (b"\xff\xfe.md", b"\x80\n.md", b"\xed\xa0\x80.md"):
        Path(os.fsdecode(raw + b"/" + odd)).write_text("# Raw\n")
    commit_all(at.home)


def _foreign_store(at: Setting) -> None:
    """A `.quipu` that came along, with accepted jobs: to read a file outside, and to fetch."""
    from quipu.memory import Memory
    from quipu.store import open_store
    from quipu.write.jobs import Given, Jobs

    private = at.home.parent / "private.jsonl"
    private.write_text(json.dumps({"session": "s", "speaker": "Ann", "text": _SECRET}) + "\n")
    database = at.home / ".quipu" / "quipu.db"
    database.parent.mkdir()
    Memory.open(database, embedder=None).close()
    files: dict[str, object] = {"paths": [str(private)], "kind": None}
    urls = [f"http://127.0.0.1:{at.port}/"]
    given = {"files": files, "pages": urls}
    with open_store(str(database)) as store:
        jobs = Jobs(store, None, lambda: "2026-03-01T10:00:00.000Z", key=b"theirs")
        jobs.accept([Given(kind, json.dumps(each).encode()) for kind, each in given.items()])


def _gitdir(at: Setting) -> None:
    commit_all(at.home.parent / "other")
    with (at.home.parent / "other" / ".git" / "config").open("a") as config:
        config.write(f"[core]\nfsmonitor = {at.program}\n")
    (at.home / ".git").write_text("gitdir: ../other/.git\n")


_REMOTE = 'model = "compatible:x"\nbase_url = "http://127.0.0.1:{port}/v1"\nretries = 0\n'
_SERVER = f'[embed]\ndimension = 8\nkey_file = "{{outside}}"\n{_REMOTE}'
_CHAT = f'[embed]\nmodel = "none"\n[chat]\n{_REMOTE}'
_DOTENV = (
    "QUIPU_EMBED_MODEL=compatible:x\nQUIPU_EMBED_DIMENSION=8\nQUIPU_EMBED_RETRIES=0\n"
    "QUIPU_EMBED_BASE_URL=http://127.0.0.1:{port}/v1\n"
)

TRAPS: tuple[Trap, ...] = (
    Trap("core.fsmonitor", _config("[core]\nfsmonitor = {program}\n")),
    Trap("signatures", _signed),
    Trap("a promised object of ext::", _promised("ext::{program}")),
    Trap("a promised object of ssh", _promised("ssh://127.0.0.1:{port}/x")),
    Trap("a promised object of http", _promised("http://127.0.0.1:{port}/x")),
    Trap("core.sshCommand", _config("[core]\nsshCommand = {program}\n")),
    Trap("core.hooksPath", _config("[core]\nhooksPath = {program}\n")),
    Trap("hooks", _hooks),
    Trap("core.pager", _config("[core]\npager = {program}\n[pager]\nlog = {program}\n")),
    Trap("diff.external", _config("[diff]\nexternal = {program}\n")),
    Trap("filters of .gitattributes", _attributes),
    Trap("aliases", _config("[alias]\nlog = !{program}\nls-tree = !{program}\n")),
    Trap("credential.helper", _config("[credential]\nhelper = {program}\n")),
    Trap("an included file", _config("[include]\npath = /dev/none\n[core]\neditor = {program}\n")),
    Trap("a .git that is a file", _gitdir),
    Trap("a server in quipu.toml", _settings("quipu.toml", _SERVER), own=True),
    Trap("a chat server in quipu.toml", _settings("quipu.toml", _CHAT), own=True),
    Trap("a server in .env", _settings(".env", _DOTENV), own=True),
    Trap("a store elsewhere", _settings("quipu.toml", '[store]\nurl = "{outside}.db"\n')),
    Trap("a .quipu that came along", _foreign_store),
    Trap("links", _links),
    Trap("pipes, sockets, rights", _odd_files),
    Trap("names", _names),
)
"""Every trap, in the order of the cases."""


class Folders(Trial):
    """See the module."""

    name: ClassVar[str] = "folders"
    what: ClassVar[str] = "hostile folders: git, settings, links, names"
    cases: ClassVar[int] = len(TRAPS)

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Work in one such folder as people do."""
        trap = TRAPS[number % len(TRAPS)]
        try:
            return spring(trap, hands)
        except Broken as broken:
            raise Broken(f"{trap.name}: {broken}") from None


def spring(trap: Trap, hands: Hands) -> int:
    """Lay the trap and run commands in the folder; raises Broken when it snaps. How many ran."""
    home, outside = hands.folder / "home", hands.folder / "outside"
    marker, program = hands.folder / "snapped", hands.folder / "program"
    home.mkdir()
    outside.write_text(f"{_SECRET}\n")
    program.write_text(f"#!/bin/sh\necho snapped >> '{marker}'\nexit 1\n")
    program.chmod(0o755)
    write_home(home, files=6)
    listener = Listener()
    model = {} if trap.own else {"QUIPU_EMBED_MODEL": "none"}
    env, limits = {"OPENAI_API_KEY": "sk-zqkeyzq", **model}, Limits(timeout_s=120)
    try:
        trap.lay(Setting(home, program, marker, listener.port, outside))
        before = listener.count
        for command in _COMMANDS:
            done = hands.warm.quipu(*command, cwd=home, env=env, limits=limits)
            shown = f"quipu {' '.join(command)}"
            demand(not marker.exists(), f"{shown} ran the folder's program")
            demand(listener.count == before, f"{shown} connected to the folder's server")
            raw = "Traceback" in done.err or "this should not happen" in done.err
            demand(done.code >= 0 and not raw, f"{shown}: exit {done.code}: {done.err[-300:]!a}")
    finally:
        listener.close()
    for file in (home / ".quipu").rglob("*"):
        held = file.is_file() and _SECRET.encode() in file.read_bytes()
        demand(not held, f"what a file outside holds is in {file.name}")
    demand(not (hands.folder / "outside.db").exists(), "a store was made outside of the folder")
    return len(_COMMANDS)


_COMMANDS = (
    ("init",),
    ("index", "."),
    ("index", "--git", "."),
    ("add", "Ann owns the quagga."),
    ("jobs", "--resume"),
    ("search", "who owns the quagga"),
    ("ask", "who owns the quagga?"),
    ("status",),
    ("doctor",),
    ("validate",),
    ("mcp", "--read-only"),
    ("extract", "docs/p00.md"),
    ("chat", "who owns the quagga?"),
)
