"""What `docker-compose.yml` starts: accepted by Compose, pinned, watched, without a secret."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from tests.cannot import cannot

from quipu.memory import Memory
from quipu.serve.http.metrics import ServerMetrics
from quipu.testing.fakes import HashEmbedder

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
SECRETS = ("NEO4J_PASSWORD", "POSTGRES_PASSWORD", "GRAFANA_PASSWORD", "QUIPU_KEY")


def described() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text("utf-8"))


def compose(folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """What Compose makes of the file, in a copy of the folder with `.env` as given."""
    program = shutil.which("docker-compose")
    if program is None:
        cannot("there is no docker-compose (Debian's package validates without an engine)")
    shutil.copy(COMPOSE, folder)
    lines = (f"{name}={value}\n" for name, value in environment.items())
    (folder / ".env").write_text("".join(lines), "utf-8")
    return subprocess.run(
        [program, "config"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_compose_accepts_it_with_the_passwords_set(tmp_path: Path) -> None:
    secrets = {name: f"s3cret-{name.lower()}" for name in SECRETS}
    done = compose(tmp_path, **secrets)
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load(done.stdout)["services"]
    assert set(found) == {"neo4j", "postgres", "quipu", "prometheus", "grafana"}
    assert found["neo4j"]["environment"]["NEO4J_AUTH"] == "neo4j/s3cret-neo4j_password"


@pytest.mark.parametrize("missing", SECRETS[:3])
def test_compose_refuses_to_start_without_a_password(tmp_path: Path, missing: str) -> None:
    done = compose(tmp_path, **{name: "x" for name in SECRETS if name != missing})
    assert done.returncode != 0
    assert f"set {missing} in .env" in done.stderr


def test_everything_is_pinned_watched_and_kept_to_this_machine() -> None:
    for name, service in described()["services"].items():
        assert name == "quipu" or re.search(r":\$\{\w+:-v?\d[\w.-]*\}", service["image"]), name
        assert service["healthcheck"]["test"], name
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
    assert {"neo4j_data", "neo4j_logs", "neo4j_import", "neo4j_plugins"} <= set(
        described()["volumes"]
    )


def test_no_secret_stands_in_a_file() -> None:
    text = COMPOSE.read_text("utf-8")
    given = re.findall(r"(?i)(?:password|auth|key)\w*: *(.+)", text)
    assert len(given) >= 6
    assert [value for value in given if "${" not in value] == []
    example = (ROOT / ".env.example").read_text("utf-8")
    assert all(f"\n{name}=\n" in example for name in SECRETS)
    assert "/.env" in (ROOT / ".gitignore").read_text("utf-8").split()
    named = set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    assert named <= set(re.findall(r"\$\{(\w+)", text))


def test_memory_of_neo4j_is_set_by_the_names_of_5() -> None:
    settings = described()["services"]["neo4j"]["environment"]
    memory = {name for name in settings if "memory" in name}
    assert memory == {
        "NEO4J_server_memory_heap_initial__size",
        "NEO4J_server_memory_heap_max__size",
        "NEO4J_server_memory_pagecache_size",
    }


def test_files_that_are_mounted_exist() -> None:
    for service in described()["services"].values():
        for mount in service.get("volumes", ()):
            if mount.startswith("./"):
                assert (ROOT / mount.partition(":")[0]).is_file(), mount
    assert (ROOT / described()["services"]["quipu"]["build"]["dockerfile"]).is_file()


def exposed() -> Iterator[str]:
    """The names of figures that the server gives."""
    with Memory.open("memory:", embedder=HashEmbedder()) as memory:
        metrics = ServerMetrics()
        metrics.watch(lambda: [memory], lambda: 0)
        metrics.request("/", "GET", 200, 0.1)
        for family in text_string_to_metric_families(metrics.text().decode()):
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
