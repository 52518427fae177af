"""Files that cannot be used are rows of the report; the rest of the run goes on."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.config import Config, IndexConfig
from quipu.errors import InvalidInput
from quipu.memory import Memory

Tree = Callable[[dict[str, str | bytes]], None]

BAD: dict[str, str | bytes] = {
    "binary.md": b"text\0more",
    "half.ipynb": '{"cells": [{"cell_type": "mark',
    "half.pdf": b"%PDF-1.7\n1 0 obj\n<< /Type /Cat",
    "half.docx": b"PK\x03\x04nothing",
    "latin.md": "# Café\n\nDéjà vu.\n".encode("latin-1"),
    "utf16.md": "# Wide\n\nText.\n".encode("utf-16"),
    "deep.json": "[" * 20_000,
    "deep.py": "x = " + "(" * 3_000 + ")" * 3_000,
    "deep.md": "> " * 3_000 + "deep\n",
    "bomb.yaml": "a: &a [x, x]\n"
    + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(9)
    ),
    "long.txt": "word " * 50_000,
    "surrogate.md": b"# \xed\xa0\x80 lone\n\nText.\n",
    "empty.md": "",
    "blank.md": " \n\n\t\n",
    "odd\nname.md": "# Odd\n\nText.\n",
    "control\x07.md": "# Bell\n\nText.\n",
    "secret.env.md": "# Keys\n\nkey AKIAIOSFODNN7EXAMPLQ and postgres://u:hunter2secret@db/x\n",
    "good.md": "# Good\n\nThis one is fine.\n",
}


def test_nothing_ends_the_run_and_good_files_are_in(memory: Memory, tree: Tree) -> None:
    tree(BAD)
    report = memory.index()
    assert "good.md" in report.added
    wrong = {row.path for row in report.errors}
    assert "binary.md" in wrong
    assert not wrong & {"good.md", "empty.md", "blank.md", "utf16.md", "long.txt"}
    told = wrong | {row.path for row in report.warnings}
    assert {"half.ipynb", "half.pdf", "half.docx", "latin.md"} <= told
    assert all(row.path.isprintable() for row in (*report.errors, *report.warnings))
    left_out = sum(report.left_out.values())  # `deep.py` looks like what a program wrote
    accounted = len(report.errors) + len(report.added) + left_out
    assert accounted == len(BAD)
    before = memory.store.sequence()
    assert memory.index().errors == report.errors
    assert memory.store.sequence() == before


def test_secrets_are_gone_before_anything_is_stored(memory: Memory, tree: Tree) -> None:
    tree(BAD)
    report = memory.index()
    assert sum(report.redacted.values()) >= 2
    if memory.home.url != "memory:":
        memory.close()
        raw = b"".join(p.read_bytes() for p in (memory.home.folder / ".quipu").iterdir())
        assert b"AKIAIOSFODNN7EXAMPLQ" not in raw
        assert b"hunter2secret" not in raw


def test_too_large_a_file_is_reported_and_what_is_stored_of_it_stays(
    tmp_path: Path, open_memory: Callable[..., Memory], write_files: Callable[..., None]
) -> None:
    config = Config(index=IndexConfig(max_bytes=100))
    write_files(tmp_path, {"a.md": "# A\n\nShort.\n"})
    with open_memory("memory:", tmp_path, config=config) as memory:
        memory.index()
        write_files(tmp_path, {"a.md": "# A\n\n" + "Long. " * 100})
        report = memory.index()
        assert "100" in report.errors[0].error
        assert report.removed == ()
        assert memory.store.counts()["chunk"] == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_keeps_what_is_stored_of_it(memory: Memory, tree: Tree) -> None:
    tree({"a.md": "# A\n\nText.\n"})
    memory.index()
    (memory.home.folder / "a.md").chmod(0)
    report = memory.index()
    assert report.errors[0].path == "a.md"
    assert memory.store.counts()["chunk"] == 1


def test_a_path_that_is_not_there_is_the_callers_mistake(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        memory.index("nowhere")


def test_a_script_without_a_main_guard_may_index(tmp_path: Path) -> None:
    """Workers do not import the caller's main module again."""
    home = tmp_path / "home"
    home.mkdir()
    for n in range(60):
        (home / f"a{n}.md").write_text(f"# A {n}\n\n" + "Some words here. " * 2_000)
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\nfrom quipu.memory import Memory\n"
        "from quipu.config import Config, IndexConfig\n"
        "config = Config(index=IndexConfig(workers=2))\n"
        f"memory = Memory.open('memory:', home=Path({str(home)!r}), embedder=None, config=config)\n"
        "print(len(memory.index().added))\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout, done.stderr, done.returncode) == ("60\n", "", 0)
