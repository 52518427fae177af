"""Nothing that Quipu loads tells anybody anything, or writes outside Quipu's own folders."""

import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path

import pytest
from tests.watched import watch

from quipu.telemetry import VARIABLES

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(__file__).parent / "telemetry_programs"
STAY_S = 14
"""ONNX Runtime asks for its server ten seconds after it was imported."""

EXTRAS = {"anthropic", "openai", "langchain", "langgraph", "llama_index", "neo4j", "postgres"}
"""Those that `make test` installs."""

pytestmark = [
    pytest.mark.enable_socket,  # to find a port that is free
    pytest.mark.skipif(sys.platform != "linux", reason="strace is of Linux"),
]


@pytest.fixture
def tree(tmp_path: Path, write_files: Callable[..., None]) -> Path:
    """Enough passages that workers read them and a process in the background embeds them."""
    folder = tmp_path / "project"
    said = "\n\n".join(f"## Part {n}\n\nThe payments service has part {n}." for n in range(24))
    write_files(folder, {f"docs/note{n}.md": f"# Note {n}\n\n{said}\n" for n in range(3)})
    return folder


def test_every_library_that_was_watched_is_named_with_its_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[\[<>=!; ]", each)[0].lower() for each in wanted} | {"huggingface-hub"}
    locked: dict[str, set[str]] = {}
    for each in tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]:
        locked.setdefault(each["name"], set()).add(each.get("version", ""))
    page = (ROOT / "SECURITY.md").read_text("utf-8").partition("## What was watched")[2]
    named = dict(re.findall(r"`([a-z0-9-]+)` (\d[\w.]*\w)", page))
    grammars = {name for name in names if name.startswith("tree-sitter-")}
    assert names - grammars == named.keys()
    assert {name: at for name, at in named.items() if at not in locked[name]} == {}
    for name, at in named.items():
        assert _installed(name) in {None, *locked[name]}, f"{name}: watched was {at}"


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@pytest.mark.parametrize("first", ["quipu", "quipu.embed.weights", "quipu.write.worker_process"])
def test_the_opt_outs_hold_whatever_is_imported_first(first: str) -> None:
    names = [*VARIABLES]
    asked = f"import os, sys; import {first}; print(*(os.environ[n] for n in {names!r}))"
    mine = {"ORT_DISABLE_TELEMETRY": "0", "RAY_USAGE_STATS_ENABLED": ""}

    def said(given: dict[str, str]) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-c", asked], env=given, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    assert said({}) == " ".join(VARIABLES.values())
    assert said(mine) == "0 0 1"


def test_the_watch_sees_a_file_and_a_question(tmp_path: Path) -> None:
    telling = """
import pathlib, socket
pathlib.Path.home().joinpath("told").write_text("all")
with socket.socket(type=socket.SOCK_DGRAM) as there:
    there.connect(("192.0.2.9", 53))
"""
    seen = watch(["-c", telling], home=tmp_path / "home", folder=tmp_path)
    assert seen.outside(tmp_path / "project") == [str(tmp_path / "home" / "told")]
    assert seen.asked == {"192.0.2.9:53"}


@pytest.mark.slow
def test_a_day_in_an_empty_home_asks_nobody(tmp_path: Path, tree: Path) -> None:
    home = tmp_path / "home"
    port = _free_port()
    seen = watch(
        [str(PROGRAMS / "a_day.py"), str(port), str(STAY_S)],
        home=home,
        folder=tree,
        variables={"QUIPU_INDEX_WORKERS": "2"},
    )
    assert "Ana" in seen.said
    assert seen.bound == {f"127.0.0.1:{port}"}
    assert seen.asked == set()
    assert seen.outside(tree, *_own(home)) == []


@pytest.mark.slow
def test_what_extras_load_asks_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    seen = watch(
        [str(PROGRAMS / "extras.py"), "all", str(_free_port())],
        home=home,
        folder=tmp_path / "work",
        variables={"STAY_S": str(STAY_S), "OPENAI_COMPATIBLE_API_KEY": "sk-none"},
    )
    assert {*seen.said.split()} >= EXTRAS
    assert seen.asked == set()
    homes = [home / name for name in seen.said.split() if (home / name).is_dir()]
    assert seen.outside(tmp_path / "work", *chain(*map(_own, homes))) == []


@pytest.mark.large
def test_a_ray_of_this_machine_asks_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    seen = watch(
        [str(PROGRAMS / "extras.py"), "ray", "0"],
        home=home,
        folder=tmp_path / "work",
        variables={"STAY_S": "8", "RAY_TMPDIR": "/tmp"},  # a path of a socket is short
    )
    # To learn by which address others reach it, Ray connects a datagram socket: nothing is sent.
    assert seen.asked - {"8.8.8.8:53"} == set()
    temporary = (Path("/tmp/ray"), tmp_path / "home.tmp")
    assert seen.outside(tmp_path / "work", *temporary, *_own(home)) == []


def _own(home: Path) -> list[Path]:
    return [home / each / "quipu" for each in (".cache", ".config", ".local/state")]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
