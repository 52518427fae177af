"""The wheel works away from the checkout, in an environment that has nothing else of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")

pytestmark = [pytest.mark.slow, pytest.mark.model]


def _run(*command: str | Path, cwd: Path) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not UV.exists():
        pytest.skip("uv is not in this environment: run make test")
    place = tmp_path_factory.mktemp("wheel")
    _run(UV, "build", "--quiet", "--out-dir", place / "dist", ROOT, cwd=place)
    (wheel,) = (place / "dist").glob("*.whl")
    (sdist,) = (place / "dist").glob("*.tar.gz")
    assert sdist.stat().st_size > 0
    _run(UV, "venv", "--quiet", "--python", sys.executable, place / "venv", cwd=place)
    python = place / "venv" / "bin" / "python"
    _run(UV, "pip", "install", "--quiet", "--python", python, wheel, cwd=place)
    return place


def test_a_stranger_can_index_and_ask(installed: Path) -> None:
    notes = installed / "notes"
    notes.mkdir()
    (notes / "guide.md").write_text(
        "# Guide\n\nThe Harbour service keeps its state in PostgreSQL. Mira Olsen owns it.\n",
        encoding="utf-8",
    )
    quipu = installed / "venv" / "bin" / "quipu"
    _run(quipu, "init", cwd=notes)
    _run(quipu, "index", ".", cwd=notes)
    status = json.loads(_run(quipu, "status", "--json", cwd=notes))
    assert status["counts"]["chunk"] == 1
    hits = json.loads(_run(quipu, "search", "Harbour service", "--json", cwd=notes))
    assert hits["hits"][0]["source_ref"].startswith("guide.md")


def test_no_torch_comes_along(installed: Path) -> None:
    python = installed / "venv" / "bin" / "python"
    listed = _run(UV, "pip", "list", "--python", python, "--format", "json", cwd=installed)
    names = {row["name"] for row in json.loads(listed)}
    assert "quipu-memory" in names
    assert names.isdisjoint({"torch", "sentence-transformers", "transformers"})
