"""The suites of other libraries, run as they are over what Quipu gives them.

Each is installed, by name and version, into an environment of its own. Without a registry there is
nothing to run: the test is skipped on a user's machine, and fails where `CI` is set.
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cannot import cannot

from quipu.config import Config
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder
from quipu.transfer.formats import FORMATS

pytestmark = pytest.mark.large
ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
OURS = ("-e", str(ROOT))
PIP_DOWNLOAD = "-m pip download --quiet --no-deps --no-binary :all: --no-build-isolation"
PYTEST = "-m pytest -q -rf -p no:cacheprovider --asyncio-mode=auto"


def _environment(folder: Path, *packages: str, alone: Sequence[str] = ()) -> Path:
    """The interpreter of a fresh environment with this checkout and the packages; those `alone`
    come without what they need, and whatever version of Python they ask for."""
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        cannot("there is no uv beside the interpreter: `make .venv/.dev` installs it")
    subprocess.run([uv, "venv", "--quiet", folder], check=True)
    python = folder / "bin" / "python"
    wanted = [[*packages]]
    if alone:
        wanted.append(["--no-deps", "--python-version", "3.12.1", *alone])
    for arguments in wanted:
        made = subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", python, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            cannot(f"{arguments} cannot be installed: {made.stderr}")
    return python


def _run(python: Path, suite: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A suite alone in a folder, without the settings and fixtures of this checkout."""
    return _tested(python, folder, shutil.copy(suite, folder / f"test_{suite.name}"))


def _tested(python: Path, folder: Path, *suites: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *PYTEST.split(), *suites],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def test_langchains_standard_tests_of_a_retriever(tmp_path: Path) -> None:
    python = _environment(tmp_path / "env", *OURS, "langchain-core>=1.4", "langchain-tests==1.1.9")
    done = _run(python, HERE / "langchain_retriever.py", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


LANGGRAPH = ("langgraph-checkpoint==4.3.2", "langgraph-checkpoint-sqlite==3.1.2")
ON_PURPOSE = {
    # Tables and migrations of their own, which Quipu has none of.
    "test_nonnull_migrations": 1,
    "test_vector_store_initialization": 1,
    # Any key of a JSON object may be asked for: there is no statement to put it into.
    "test_sql_injection_vulnerability": 2,
    # A store that is called where no loop may be called from: Quipu's can be.
    "test_no_running_loop": 2,
    # A read begins the time to live anew unless told otherwise, as LangGraph documents it.
    "test_ttl_override_default": 1,
}
"""The tests of LangGraph's that differ on purpose, and how many of each fail."""


@pytest.mark.parametrize(
    ("sdist", "names"),
    [
        (LANGGRAPH[0], ["test_store"]),
        (LANGGRAPH[1], ["test_store", "test_async_store", "test_ttl"]),
    ],
)
def test_langgraphs_own_tests_of_its_stores(tmp_path: Path, sdist: str, names: list[str]) -> None:
    helpers = ("pytest-asyncio", "pytest-mock", "pytest-retry", "pip", "hatchling")
    python = _environment(tmp_path / "env", *OURS, *LANGGRAPH, *helpers, "langchain-core")
    tests = _tests_of(sdist, python, tmp_path)
    shutil.copy(HERE / "langgraph_conftest.py", tests / "conftest.py")
    done = _tested(python, tests.parent, *(f"tests/{name}.py" for name in names))
    failed = Counter(re.findall(r"^FAILED \S+::(\w+)", done.stdout, re.MULTILINE))
    assert set(failed) <= set(ON_PURPOSE), done.stdout + done.stderr
    assert all(count <= ON_PURPOSE[name] for name, count in failed.items()), done.stdout
    assert re.search(r"\b\d{2,} passed", done.stdout), done.stdout + done.stderr


def _tests_of(sdist: str, python: Path, folder: Path) -> Path:
    """The tests that a package ships with its sources."""
    made = subprocess.run(
        [python, *PIP_DOWNLOAD.split(), "--dest", folder, sdist],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        cannot(f"{sdist} cannot be downloaded: {made.stderr}")
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (tests,) = folder.glob("langgraph_*/tests")
    return tests


def test_libraries_open_the_graph_as_it_goes_out(tmp_path: Path) -> None:
    python = _environment(tmp_path / "env", "networkx", "pandas")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(
        "---\nowner: \"Ann 'A' O\\\\Hara\"\n---\n# One & two\n\n[b](b.md)\n"
    )
    (notes / "b.md").write_text("---\nowner: Bo\nstatus: old\nsince: 2025-01-01\n---\n# Two\n")
    with _memory(tmp_path) as memory:
        memory.index(notes)
        written = [memory.export_graph(tmp_path / f"graph.{to}", to=to) for to in FORMATS]
    found = _printed(python, HERE / "opened_graphs.py", tmp_path)
    owned = [["One & two", "Ann 'A' O\\Hara"], ["Two", "Bo"]]
    assert found == {w.format: [w.nodes, w.edges, owned] for w in written}


def _memory(home: Path) -> Memory:
    return Memory.open("memory:", config=Config(), embedder=HashEmbedder(64), home=home)


def _printed(python: Path, program: Path, folder: Path) -> Any:
    """What a program prints of a folder, as JSON; None for nothing."""
    done = subprocess.run([python, program, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else None
