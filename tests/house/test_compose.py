"""What `docker-compose.yml` starts: accepted by Compose, pinned, watched, without a secret, and the
image's entry point in homes that are thrown away."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from tests.cannot import cannot

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.keys import read_key
from quipu.testing.fakes import HashEmbedder

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = ROOT / "docker-compose.yml"
PARTS = {"postgres": "POSTGRES_PASSWORD", "neo4j": "NEO4J_PASSWORD", "watch": "GRAFANA_PASSWORD"}
KEY = "0123456789abcdef" * 4
ASKED = {"question": "retry policy"}


def part(name: str) -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / f"{name}.yml").read_text("utf-8"))


def described() -> list[dict[str, Any]]:
    """What the compose files say, one by one."""
    return [yaml.safe_load(COMPOSE.read_text("utf-8")), *map(part, (*PARTS, "apoc"))]


def compose(folder: Path, *parts: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """What Compose makes of the file and `parts`, in a copy of the folder with `.env` as given."""
    program = shutil.which("docker-compose")
    if program is None:
        cannot("there is no docker-compose (Debian's package validates without an engine)")
    shutil.copy(COMPOSE, folder)
    shutil.copytree(DEPLOY, folder / "deploy")
    (folder / "quipu.key").write_text(KEY, "utf-8")
    files = ":".join(["docker-compose.yml", *(f"deploy/{name}.yml" for name in parts)])
    given = {"COMPOSE_FILE": files, **environment}
    (folder / ".env").write_text("".join(f"{k}={v}\n" for k, v in given.items()), "utf-8")
    return subprocess.run(
        [program, "config"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("database", ["postgres", "neo4j"])
def test_the_memory_is_in_the_database_that_is_started(tmp_path: Path, database: str) -> None:
    given = {PARTS[database]: "s3cret", PARTS["watch"]: "other"}
    done = compose(tmp_path, database, "watch", **given)
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load(done.stdout)["services"]
    assert set(found) == {"quipu", database, "prometheus", "grafana"}
    assert f"@{database}:" in (url := found["quipu"]["environment"]["QUIPU_STORE_URL"]) or (
        url == "neo4j://neo4j:7687"
    )
    assert database in found["quipu"]["depends_on"]
    assert not any("import" in mount for mount in found[database]["volumes"])


@pytest.mark.parametrize("name", sorted(PARTS))
def test_compose_refuses_to_start_without_a_password(tmp_path: Path, name: str) -> None:
    done = compose(tmp_path, name)
    assert done.returncode != 0
    assert f"set {PARTS[name]} in .env" in done.stderr


def test_everything_is_pinned_watched_and_kept_to_this_machine() -> None:
    started = {
        name: service
        for each in described()
        for name, service in each["services"].items()
        if "image" in service or "build" in service
    }
    assert set(started) == {"quipu", "postgres", "neo4j", "prometheus", "grafana"}
    for name, service in started.items():
        assert name == "quipu" or re.search(r":\$\{\w+:-v?\d[\w.-]*\}", service["image"]), name
        assert service["healthcheck"]["test"], name
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
    kept = {name for each in described() for name in each["volumes"]}
    assert {"quipu_state", "postgres_data", "neo4j_data"} <= kept


def test_no_secret_stands_in_a_file() -> None:
    parts = [(DEPLOY / f"{name}.yml").read_text("utf-8") for name in (*PARTS, "apoc")]
    given = re.findall(r"(?i)(?:password|auth)\w*: *(.+)", "".join(parts))
    assert len(given) >= 5
    assert [value for value in given if "${" not in value] == []
    example = (ROOT / ".env.example").read_text("utf-8")
    assert all(f"\n{name}=\n" in example for name in PARTS.values())
    assert {"/.env", "/quipu.key"} <= set((ROOT / ".gitignore").read_text("utf-8").split())
    named = set(re.findall(r"^(\w+)=", example, re.MULTILINE)) - {"COMPOSE_FILE"}
    assert named <= set(re.findall(r"\$\{(\w+)", "".join(parts)))


def image(name: str) -> list[str]:
    """What the Dockerfile says under an instruction, line by line."""
    lines = (DEPLOY / "Dockerfile").read_text("utf-8").splitlines()
    return [line.removeprefix(f"{name} ") for line in lines if line.startswith(f"{name} ")]


class Container:
    """The entry point as the image and Compose start it: their environment, command and working
    folder, the volume at `folder`, and a home of its own that nobody else has."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.memory = folder, folder / "memory"
        self.memory.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def command(self, *arguments: str) -> dict[str, Any]:
        """What `subprocess` is to be given."""
        home = self.folder / f"home-{len(list(self.folder.iterdir()))}"
        home.mkdir()
        stated = dict(line.split("=", 1) for line in image("ENV"))
        address = COMPOSE_SERVICE["environment"]["QUIPU_STORE_URL"]
        stated["QUIPU_STORE_URL"] = address.partition(":-")[2].removesuffix("}")
        return {
            "args": [sys.executable, "-m", "quipu", *map(self._placed, arguments)],
            "cwd": self.memory,
            "env": {
                "HOME": str(home),
                "PATH": os.environ["PATH"],
                **{name: self._placed(value) for name, value in stated.items()},
            },
        }

    def _placed(self, text: str) -> str:
        key = str(self.folder / "quipu.key")
        return text.replace("/run/secrets/quipu_key", key).replace("/memory", str(self.memory), 1)

    @contextmanager
    def serving(self) -> Iterator[httpx.Client]:
        """A client of the service, once that is healthy."""
        command = self.command(*COMPOSE_SERVICE["command"], "--port", str(self.port))
        process = subprocess.Popen(**command, stderr=subprocess.PIPE, text=True)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60) as client:
                _wait_for(client, process)
                yield client
        finally:
            process.terminate()
            process.communicate(timeout=60)


COMPOSE_SERVICE: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]["quipu"]


def _wait_for(client: httpx.Client, process: "subprocess.Popen[str]") -> None:
    for _ in range(600):
        assert process.poll() is None, process.stderr and process.stderr.read()
        with suppress(httpx.TransportError):
            if client.get("/health").status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not begin within a minute")


@pytest.mark.enable_socket
def test_a_new_container_opens_what_the_last_one_kept(tmp_path: Path) -> None:
    (tmp_path / "quipu.key").write_text(f"{KEY}\n", "utf-8")
    container = Container(tmp_path)
    first = {"Authorization": f"Bearer {KEY}"}
    with container.serving() as client:
        assert client.post("/api/v1/search", json=ASKED).status_code == 401
        said = [{"role": "user", "content": "The retry policy is five attempts."}]
        session = {"session_id": "s1", "messages": said}
        reply = client.post("/api/v1/sessions", json=session, headers=first)
        assert reply.status_code < 300, reply.text
    made = subprocess.run(
        **container.command("--json", "key", "create"), check=True, capture_output=True
    )
    second = {"Authorization": f"Bearer {json.loads(made.stdout)['key']}"}
    with container.serving() as client:
        for key in (first, second):
            reply = client.post("/api/v1/search", json=ASKED, headers=key)
            assert reply.status_code == 200
            assert "five attempts" in reply.text
        assert client.get("/metrics", headers=first).status_code == 200


@pytest.mark.enable_socket
def test_a_key_that_could_be_guessed_is_refused(tmp_path: Path) -> None:
    for key in ("", "two words " * 5, "ä" * 40):
        (tmp_path / "quipu.key").write_text(key, "utf-8")
        with pytest.raises(InvalidInput, match="openssl rand -hex 32"):
            read_key(tmp_path / "quipu.key")
    (tmp_path / "quipu.key").write_text("short", "utf-8")
    command = Container(tmp_path).command(*COMPOSE_SERVICE["command"])
    done = subprocess.run(**command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "openssl rand -hex 32" in done.stderr
    assert "Traceback" not in done.stderr


def exposed() -> Iterator[str]:
    """The names of figures that the server gives."""
    with Memory.open("memory:", embedder=HashEmbedder()) as memory:
        metrics = ServerMetrics()
        metrics.request("/", "GET", 200, 0.1)
        for family in text_string_to_metric_families(metrics.text(memory, whole=True).decode()):
            yield family.name
            yield from (f"{family.name}{end}" for end in ("_total", "_bucket"))


def test_the_dashboard_asks_for_figures_that_there_are() -> None:
    board = json.loads((ROOT / "deploy" / "grafana" / "quipu.json").read_text("utf-8"))
    asked = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"quipu_\w+", target["expr"])
    }
    assert len(asked) > 8
    assert asked <= set(exposed())
