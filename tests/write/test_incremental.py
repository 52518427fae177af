"""Indexing again: only what changed is read, and the outcome is that of indexing from scratch."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quipu.chunk import chunk
from quipu.memory import Memory
from quipu.records.document import Document
from quipu.records.ids import episode_id_of, make_id
from quipu.records.record import Chunk, Entity
from quipu.write import prepare, survey

GUIDE = "# Guide\n\nSee [the other](other.md) and `fetch_rows`.\n"
FETCH = "def fetch_rows(x):\n    '''Fetch rows.'''\n    return x\n"
USER = "from a import fetch_rows\n\ndef go():\n    return fetch_rows(1)\n"
TREE = {"docs/guide.md": GUIDE, "docs/other.md": "# Other\n\nText.\n", "a.py": FETCH, "b.py": USER}

Tree = Callable[[dict[str, str]], None]
Snap = Callable[[Any], dict[str, Any]]
Scratch = Callable[[Path], dict[str, Any]]


def document_id(memory: Memory, path: str) -> str:
    found = memory.get(path)
    assert isinstance(found, Entity)
    return found.entity_id


def test_a_second_run_writes_nothing(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    first = memory.index()
    assert first.added == ("a.py", "b.py", "docs/guide.md", "docs/other.md")
    again = memory.index()
    assert again.sequence == first.sequence == memory.store.sequence()
    assert (again.unchanged, again.added, again.changed, again.removed) == (4, (), (), ())


def test_what_is_read_again_is_what_it_was(memory: Memory, tree: Tree, snapshot: Snap) -> None:
    tree(TREE)
    memory.index()
    before = snapshot(memory.store)
    report = memory.index(again=True)
    assert report.changed == ("a.py", "b.py", "docs/guide.md", "docs/other.md")
    assert (report.unchanged, report.embedded, report.errors) == (0, 0, ())
    assert snapshot(memory.store) == before
    assert memory.index().unchanged == 4


def test_what_earlier_readers_read_is_read_again_once(
    memory: Memory,
    tree: Tree,
    snapshot: Snap,
    from_scratch: Scratch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree(TREE)
    with monkeypatch.context() as earlier:
        for module in (prepare, survey):
            earlier.setattr(module, "read_episode_id", episode_id_of)
        earlier.setattr(prepare, "chunk", _in_halves)
        memory.index()
    report = memory.index([memory.home.folder / "docs"])
    assert report.notes[0].endswith("reads more of them: 2")
    report = memory.index()
    assert (report.changed, report.unchanged) == (("a.py", "b.py"), 2)
    assert snapshot(memory.store) == from_scratch(memory.home.folder)
    again = memory.index()
    assert (again.unchanged, again.changed, again.notes) == (4, (), ())


def _in_halves(document: Document, *, episode_id: str, document_id: str) -> list[Chunk]:
    """Other passages than the present readers make of a file."""
    return [
        msgspec.structs.replace(
            each, chunk_id=make_id("chunk", each.chunk_id, half), text=f"{half} {each.text}"
        )
        for each in chunk(document, episode_id=episode_id, document_id=document_id)
        for half in ("one", "two")
    ]


def test_only_what_is_named_is_read_again(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    report = memory.index([memory.home.folder / "docs"], again=True)
    assert report.changed == ("docs/guide.md", "docs/other.md")


def test_a_renamed_file_keeps_its_documents_id(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    before = document_id(memory, "docs/other.md")
    (memory.home.folder / "docs/other.md").rename(memory.home.folder / "docs/moved.md")
    report = memory.index()
    assert report.renamed == (("docs/other.md", "docs/moved.md"),)
    assert (report.added, report.removed) == ((), ())
    assert document_id(memory, "docs/moved.md") == before
    tree({"docs/other.md": "# Other\n\nAnother one at the old place.\n"})
    memory.index()
    assert document_id(memory, "docs/other.md") != before
    assert document_id(memory, "docs/moved.md") == before


def test_only_files_under_the_roots_are_taken_for_deleted(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    (memory.home.folder / "a.py").unlink()
    assert memory.index(memory.home.folder / "docs").removed == ()
    assert memory.index(memory.home.folder / "docs/guide.md").unchanged == 1
    assert memory.index().removed == ("a.py",)


def test_a_revision_is_taken_with_a_warning_and_counts_for_nothing(
    memory: Memory, tree: Tree
) -> None:
    tree(TREE)
    with pytest.warns(DeprecationWarning, match="no unchanged file is read"):
        assert memory.index(changed_since="HEAD").added


NAMES = ("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "one.md", "docs/two.md", "CODEOWNERS")


def content(name: str, variant: int) -> str:
    """Files that refer to each other in ways that depend on which others are there."""
    if name.endswith(".py"):
        stem = name.removesuffix(".py").replace("/", "_")
        return (
            f"from a import make_{variant}\nfrom pkg import c\nimport pkg.c as other\n\n"
            f"def make_{variant}():\n    '''Made in {stem}.'''\n    return build_{1 - variant}()\n"
            f"\n\nclass Thing{stem}{variant}:\n    def build_{variant}(self):\n"
            f"        return make_{1 - variant}()\n"
        )
    if name.endswith(".md"):
        return (
            f"---\ntitle: Title {variant}\ndepends_on: one.md\nowner: '@team-{variant}'\n---\n"
            f"# Head {name}\n\nSee [c](pkg/c.py), [two](docs/two.md), [up](../one.md) and "
            f"`make_{variant}`, or Title {1 - variant}.\n\n## `make_{variant}`\n\nIt makes.\n"
        )
    return f"*.py @team-{variant}\ndocs/ @docs-team\n"


STEPS = st.lists(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0, 1, None]), min_size=1),
    min_size=1,
    max_size=5,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, kind=st.sampled_from(["memory:", "sqlite"]))
def test_any_edits_give_what_indexing_from_scratch_gives(
    steps: list[dict[str, int | None]],
    kind: str,
    open_memory: Callable[..., Memory],
    write_files: Callable[..., None],
    snapshot: Snap,
    from_scratch: Scratch,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve() / "home"
        home.mkdir()
        url = kind if kind == "memory:" else str(home / ".quipu" / "quipu.db")
        (home / ".quipu").mkdir()
        with open_memory(url, home) as memory:
            for step in steps:
                for name, variant in step.items():
                    if variant is None:
                        (home / name).unlink(missing_ok=True)
                    else:
                        write_files(home, {name: content(name, variant)})
                memory.index(home)
                assert snapshot(memory.store) == from_scratch(home)
                before = memory.store.sequence()
                memory.index(home)
                assert memory.store.sequence() == before


def test_what_the_own_lists_leave_out_is_counted_by_pattern(memory: Memory, tree: Tree) -> None:
    tree({"a.md": "# A\n", "b.png": "x", "c/d.png": "x", ".quipuignore": "/e/\n", "e/f.md": "x\n"})
    report = memory.index()
    assert report.left_out == {"*.png": 2, "/e/": 1}


def _bundle() -> str:
    return "".join(f"function f{n}(t){{return(t=t.map(e=>e+{n})).length}}" for n in range(200))


def test_what_a_program_wrote_is_left_out_until_taken_back(memory: Memory, tree: Tree) -> None:
    tree({"a.md": "# A\n", "static/app.js": _bundle(), "src/a.js": "export const a = 1;\n"})
    report = memory.index()
    assert report.left_out == {"minified code": 1}
    assert report.added == ("a.md", "src/a.js")
    assert any("static/app.js" in note and "`!app.js`" in note for note in report.notes)
    assert memory.index().left_out == {"minified code": 1}
    tree({".quipuignore": "!app.js\n"})
    assert "static/app.js" in memory.index().added
    tree({".quipuignore": "*.md\n"})
    assert "static/app.js" in memory.index().removed
    tree({"src/a.js": _bundle()})
    assert memory.index().removed == ("src/a.js",)


def test_report_files_are_written_every_time(memory: Memory, tree: Tree) -> None:
    tree({**TREE, "bad.md": "a\0b"})
    for _ in range(2):
        memory.index()
        state = memory.home.folder / ".quipu"
        assert json.loads((state / "index_metadata.json").read_text()) == {
            "document_count": 4,
            "generated_at": "2026-03-01T10:00:00.000Z",
            "source_sha": "unknown",
        }
        errors = json.loads((state / "index_errors.json").read_text())
        assert errors["error_count"] == 1
        assert errors["errors"][0]["path"] == "bad.md"
        for name in ("index_metadata.json", "index_errors.json"):
            (state / name).unlink()
    (memory.home.folder / "bad.md").unlink()
    memory.index()
    empty = json.loads((memory.home.folder / ".quipu/index_errors.json").read_text())
    assert empty == {"error_count": 0, "errors": []}
