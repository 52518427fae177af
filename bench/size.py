"""`python -m bench size [--at REV] [--since REV]`: how large `src/quipu` is, what a kind takes.

Counted as it stands, or at a revision with `--at`; `--since` counts what changed from then on.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

__all__ = ["changed", "colliding", "constants", "importers", "lines", "main", "of_kinds", "rooms"]

SOURCE = "src/quipu"
ROOT = Path(__file__).parents[1]

_KINDS = {
    "commits": r"commits?",
    "conversations": r"conversations?|turns?|sessions?|transcripts?",
    "files": r"(?<=profiles/)(?:code|prose|titles)",
    "incidents": r"incidents?|casebook|policies|learn",
    "pages": r"crawl|(?<!files/)pages",
    "reports": r"reports|reflect|reflecting|(?<=index/)report|report(?=_weights)",
    "values": r"(?<!redact_)(?<!secret_)values",
    "work": r"work|goals?|tasks?",
}
"""The words by which a path tells that a file is of a kind, where kinds have no folder."""
_PLACE = re.compile(r"quipu(?:\.\w+)+:\w+")
_A_SET = 3
"""From so many texts on, a literal is a set of words."""


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench size", description=__doc__)
    parser.add_argument("--at", metavar="REV", help="count a revision instead of the files here")
    parser.add_argument("--since", metavar="REV", help="also count what changed since REV")
    given = parser.parse_args(arguments)
    if given.at is None:
        _print(_sources(ROOT / SOURCE))
    else:
        with tempfile.TemporaryDirectory() as folder:
            archive = _git("archive", given.at, SOURCE)
            with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                packed.extractall(folder, filter="data")
            _print(_sources(Path(folder) / SOURCE))
    if given.since is not None:
        paths = changed(given.since, given.at)
        print(f"\nTouched since {given.since}: {len(paths)} files in {len(rooms(paths))} rooms")
    return 0


def lines(sources: Mapping[str, str]) -> int:
    """The lines of all files together."""
    return sum(text.count("\n") for text in sources.values())


def rooms(paths: Sequence[str]) -> set[str]:
    """The folders (or single files) of `src/quipu` that paths in it lie in."""
    return {path.partition("/")[0].removesuffix(".py") for path in paths}


def of_kinds(paths: Sequence[str]) -> dict[str, list[str]]:
    """The files of each kind of source: those in its folder, and those whose name tells it."""
    found: dict[str, list[str]] = {}
    for kind, words in _KINDS.items():
        named = re.compile(rf"(?:^|[/_])(?:{words})(?=[/_.])")
        found[kind] = [
            path
            for path in paths
            if (path.startswith(f"kinds/{kind}/") or not path.startswith("kinds/"))
            and (path.startswith("kinds/") or named.search(path))
        ]
    return found


def importers(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Which modules import each module; a place `module:attribute` is an import too."""
    names = {_module(path): path for path in sources}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path, text in sources.items():
        here = _module(path)
        for name in _imported(ast.parse(text)):
            target = name if name in names else name.rpartition(".")[0]
            if target in names and target != here:
                found[target].add(here)
    return {name: found[name] for name in sorted(names)}


def colliding(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """The names that classes of several files have, with those files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in sources.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path)
    return {name: paths for name, paths in sorted(found.items()) if len(paths) > 1}


def constants(sources: Mapping[str, str]) -> Counter[str]:
    """How many `numbers`, regular `expressions` and sets of `words` are given a name at the level
    of modules: what somebody chose by hand."""
    found: Counter[str] = Counter()
    for text in sources.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [n.id for n in ast.walk(targets[0]) if isinstance(n, ast.Name)]
                if names != ["__all__"]:
                    found[_chosen(node.value)] += len(names)
    return found


def _chosen(value: ast.expr) -> str:
    """What kind of thing an assigned value is; empty for what is no choice of this kind."""
    nodes = list(ast.walk(value))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    if called & {"re.compile", "late"}:
        return "expressions"
    texts = sum(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in nodes)
    if texts >= _A_SET or any(name.endswith(".split") for name in called):
        return "words"
    plain = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Load)
    numbers = any(isinstance(n, ast.Constant) and type(n.value) in (int, float) for n in nodes)
    return "numbers" if numbers and not texts and all(isinstance(n, plain) for n in nodes) else ""


def changed(since: str, at: str | None = None) -> list[str]:
    """The files of `src/quipu` that differ between two revisions, or from the files here."""
    listed = _git("diff", "--name-only", "--no-renames", since, *([at] if at else []), "--", SOURCE)
    return [line.removeprefix(f"{SOURCE}/") for line in listed.decode().splitlines()]


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and _PLACE.fullmatch(str(node.value)):
            yield str(node.value).partition(":")[0]


def _module(path: str) -> str:
    parts = PurePosixPath("quipu", path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _sources(folder: Path) -> dict[str, str]:
    paths = sorted(folder.rglob("*.py"))
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in paths}


def _print(sources: Mapping[str, str]) -> None:
    paths = list(sources)
    single = [name for name, by in importers(sources).items() if len(by) == 1]
    print(f"{'lines':32}{lines(sources):8,}")
    print(f"{'files':32}{len(paths):8,}")
    chosen = constants(sources)
    for name in ("numbers", "expressions", "words"):
        print(f"{'constants: ' + name:32}{chosen[name]:8,}")
    print(f"{'rooms':32}{len(rooms(paths)):8,}")
    print(f"{'modules with one importer':32}{len(single):8,}")
    print(f"{'names of several classes':32}{len(colliding(sources)):8,}")
    print(f"\n{'kind':16}{'files':>8}{'rooms':>8}{'lines':>8}")
    for kind, held in of_kinds(paths).items():
        size = lines({path: sources[path] for path in held})
        print(f"{kind:16}{len(held):8}{len(rooms(held)):8}{size:8,}")


def _git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True).stdout
