"""`python -m bench size [--at REV]`: how large `src/quipu` is, as it stands or at a revision."""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["constants", "main"]

SOURCE = "src/quipu"
ROOT = Path(__file__).parents[1]

_A_SET = 3
"""From so many texts on, a literal is a set of words."""


def main(arguments: Sequence[str]) -> int:
    """Print lines, files and constants."""
    parser = argparse.ArgumentParser(prog="python -m bench size", description=__doc__)
    parser.add_argument("--at", metavar="REV", help="count a revision instead of the files here")
    given = parser.parse_args(arguments)
    if given.at is None:
        _print(_sources(ROOT / SOURCE))
    else:
        with tempfile.TemporaryDirectory() as folder:
            archive = _git("archive", given.at, SOURCE)
            with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                packed.extractall(folder, filter="data")
            _print(_sources(Path(folder) / SOURCE))
    return 0


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


def _sources(folder: Path) -> dict[str, str]:
    paths = sorted(folder.rglob("*.py"))
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in paths}


def _print(sources: Mapping[str, str]) -> None:
    print(f"{'lines':32}{sum(text.count(chr(10)) for text in sources.values()):8,}")
    print(f"{'files':32}{len(sources):8,}")
    chosen = constants(sources)
    for name in ("numbers", "expressions", "words"):
        print(f"{'constants: ' + name:32}{chosen[name]:8,}")


def _git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True).stdout
