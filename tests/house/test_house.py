"""The house is what docs/architecture.md says it is."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "quipu"
MODULES = sorted(SOURCE.rglob("*.py"))


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_every_place_in_the_drawing_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = page.split("src/quipu/\n", 1)[1].split("tests/", 1)[0]
    names = re.findall(r"^  (\w+/|\w+\.py)", drawing, re.MULTILINE)
    assert len(names) > 15
    missing = [n for n in names if not (SOURCE / n).exists() and not _folder_of(n).is_dir()]
    assert missing == []


def _folder_of(name: str) -> Path:
    return SOURCE / name.removesuffix(".py")


def test_every_room_is_in_the_drawing() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {
        p.name.removesuffix(".py")
        for p in SOURCE.iterdir()
        if p.suffix == ".py" or (p / "__init__.py").exists()
    } - {"__main__"}
    drawn = set(re.findall(r"^  (\w+)(?:/|\.py)", page, re.MULTILINE))
    assert sorted(rooms - drawn) == []


def test_no_path_of_a_machine_is_written_down() -> None:
    names = "|".join(("home", "root", "work", "Users"))
    places = re.compile(rf"(?<![\w}}*])/(?:{names})/")
    named: list[str] = []
    for path in _tracked():
        if path.suffix in {".py", ".md", ".toml", ".sh"} and path.is_file():
            text = path.read_text(encoding="utf-8")
            named += [f"{path.name}: {m.group()}" for m in places.finditer(text)]
    assert [n for n in named if not n.startswith("test_house.py")] == []


STARTERS = {
    "read/git_program.py": "git, guarded",
    "write/workers.py": "this package's own module",
    "serve/setup/hook.py": "this package's own module",
    "embed/weights.py": "pip or uv, when `quipu model fetch` asks for it",
}


def test_programs_are_started_in_few_places_and_git_in_one() -> None:
    starts = re.compile(
        r"\b(?:subprocess|multiprocessing|pty|popen2)\b.*|\bos\.(?:system|popen|exec\w+|spawn\w+|"
        r"posix_spawn\w*|fork\w*|startfile)\b|create_subprocess_|\bProcessPoolExecutor\b"
    )
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        if starts.search(path.read_text(encoding="utf-8"))
    }
    assert sorted(found - STARTERS.keys()) == []
    asks = re.compile(r"""\bwhich\(["']git\b|["']git["'],""")
    asking = [p for p in MODULES if asks.search(p.read_text(encoding="utf-8"))]
    assert [p.relative_to(SOURCE).as_posix() for p in asking] == ["read/git_program.py"]


def test_what_is_imported_is_installed_with_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (each for some in project["optional-dependencies"].values() for each in some)
    declared = {
        re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", each, maxsplit=1)[0]).lower()
        for each in (*project["dependencies"], *extras)
    }
    brought = metadata.packages_distributions()
    imported = {
        name.partition(".")[0]
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node)
    }
    assert {
        name
        for name in imported - sys.stdlib_module_names - {"quipu"} - BROUGHT_ALONG
        if declared.isdisjoint(
            re.sub(r"[-_.]+", "-", each).lower() for each in brought.get(name, [name])
        )
    } == set()


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []


BROUGHT_ALONG = {"anyio", "h11", "pydantic", "langgraph", "opentelemetry"}
"""By what an extra names: mcp, uvicorn, its SDK."""
