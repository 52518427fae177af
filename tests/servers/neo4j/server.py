"""A real Neo4j on this machine, for tests: started on a free port, stopped after, no Docker.

The programs are those of the community edition (its server and its `neo4j-admin`), run by the JDK
on the class path that Maven makes of `pom.xml`. Without a JDK or Maven a test that needs it is
skipped and says so; where `CI` is set it fails.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString, cast

from tests.cannot import cannot

if TYPE_CHECKING:
    from neo4j import Driver

ROOT = Path(__file__).parent
USER, PASSWORD = "neo4j", "knots-and-cords"
_CLASSPATH = ROOT / "target" / "classpath"
_OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.lang")
_START_S = 120.0


def classpath() -> str:
    """Where the server's parts are, fetched once."""
    if not shutil.which("java"):
        cannot("Neo4j needs a JDK (17 or newer) for these tests: see CONTRIBUTING.md")
    if not _CLASSPATH.exists() or _CLASSPATH.stat().st_mtime < (ROOT / "pom.xml").stat().st_mtime:
        if not shutil.which("mvn"):
            cannot("Maven fetches Neo4j for these tests and is not installed: see CONTRIBUTING.md")
        command = ["mvn", "--quiet", "--batch-mode", "dependency:build-classpath"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            cannot(f"Maven cannot fetch Neo4j:\n{done.stdout[-2000:]}")
    return _CLASSPATH.read_text("utf-8").strip()


class Neo4jServer:
    """A server whose home is a folder; what it holds stays there when it is stopped."""

    def __init__(self, home: Path, settings: Mapping[str, str] | None = None) -> None:
        self.home = home
        self._settings = dict(settings or {})
        self._parts = classpath()
        self._process: subprocess.Popen[bytes] | None = None
        self._driver: Driver | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        (home / "conf").mkdir(parents=True)
        self._new = True
        self.configure()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"bolt://127.0.0.1:{self.port}"

    def configure(self, **changed: str) -> None:
        """Settings for the next start, `__` for a dot."""
        self._settings |= {name.replace("__", "."): value for name, value in changed.items()}
        settings = {
            "server.bolt.listen_address": f"127.0.0.1:{self.port}",
            "server.http.enabled": "false",
            "server.memory.pagecache.size": "64m",
            "db.transaction.timeout": "60s",
            "dbms.usage_report.enabled": "false",
        } | self._settings
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        (self.home / "conf" / "neo4j.conf").write_text(lines, "utf-8")

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = self.home / "logs" / "neo4j.log"
        log.unlink(missing_ok=True)
        places = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}"]
        self._process = subprocess.Popen(
            [*self._java(), "org.neo4j.server.CommunityEntryPoint", *places],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
        until = time.monotonic() + _START_S
        while not (log.exists() and "Started." in log.read_text("utf-8")):
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"Neo4j did not start:\n{log.read_text('utf-8')[-3000:]}")
            time.sleep(0.1)
        if self._new:
            self._new = False
            self._set_password()

    def _set_password(self) -> None:
        from neo4j import GraphDatabase

        change = f"ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO '{PASSWORD}'"
        with GraphDatabase.driver(self.url, auth=(USER, "neo4j")) as driver:
            driver.execute_query(change, database_="system")

    def run(self, cypher: str, **values: Any) -> list[Any]:
        """The records of a statement."""
        from neo4j import GraphDatabase

        if self._driver is None:
            self._driver = GraphDatabase.driver(self.url, auth=(USER, PASSWORD))
        return self._driver.execute_query(cast("LiteralString", cypher), values).records

    def clear(self) -> None:
        """Delete all nodes, and the indexes over vectors, whose dimension a test chooses."""
        some = "MATCH (n) WHERE NOT n:QuipuStore WITH n LIMIT 5000 DETACH DELETE n RETURN count(n)"
        while self.run(some)[0][0]:
            continue
        for each in self.run("SHOW VECTOR INDEXES YIELD name"):
            self.run(f"DROP INDEX {each['name']}")

    def stop(self) -> None:
        """Let it finish what it does and stop."""
        self._hang_up()
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        """Stop it as a power cut would."""
        self._hang_up()
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)
            self._process = None

    def _hang_up(self) -> None:
        if self._driver is not None:
            self._driver.close()
            self._driver = None

    def admin(self, *words: str) -> str:
        """What `neo4j-admin` prints, run on this home."""
        places = {"NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf")}
        done = subprocess.run(
            [*self._java(), "org.neo4j.cli.AdminTool", *words],
            env={**os.environ, **places},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _java(self) -> list[str]:
        opened = [f"--add-opens={module}=ALL-UNNAMED" for module in _OPENED]
        # A server of a minute is over before what the second compiler makes of it pays.
        quick = ("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        return ["java", *quick, *opened, "-cp", self._parts]
