"""What a change touches: definitions in its lines, who uses them, tests, pages, owners."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.agents.impact import impact, read_change
from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.memory import Memory

_POOL = '''\
class Pool:
    """Connections that are used again."""

    def take(self):
        return self.free.pop()

    def give(self, connection):
        self.free.append(connection)


def unused():
    return None
'''
_TREE = {
    "src/pool.py": _POOL,
    "src/orders.py": (
        "from src.pool import Pool\n\n\ndef close(order):\n    return Pool().take()\n"
    ),
    "tests/test_pool.py": (
        "from src.pool import Pool\n\n\ndef test_take():\n    assert Pool().take()\n"
    ),
    "docs/pool.md": "# Pool\n\n`Pool.take` gives a connection. See [the code](../src/pool.py).\n",
    "CODEOWNERS": "src/pool.py @team-blue\n",
}
_DIFF = """\
diff --git a/src/pool.py b/src/pool.py
--- a/src/pool.py
+++ b/src/pool.py
@@ -4,2 +4,2 @@ class Pool:
     def take(self):
-        return self.free.pop(0)
+        return self.free.pop()
diff --git a/src/gone.py b/src/gone.py
--- a/src/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-x = 1
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    for path, text in _TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / ".quipu").mkdir()
    with Memory.open(tmp_path / ".quipu/quipu.db", embedder=None, config=Config()) as opened:
        opened.index()
        yield opened


def test_a_diff_touches_the_innermost_definitions_of_its_lines(memory: Memory) -> None:
    found = impact(memory, _DIFF)
    pool, gone = found.files
    assert [place.reference for place in pool.definitions] == ["src/pool.py:4-5"]
    assert (gone.path, gone.known, gone.definitions) == ("src/gone.py", False, ())
    assert pool.ties["Owned by"] == ("@team-blue",)
    assert pool.ties["Told in"] == ("docs/pool.md",)
    assert set(pool.ties["Imported by"]) == {"src/orders.py", "tests/test_pool.py"}


def test_users_tests_and_pages_of_a_definition_are_told(memory: Memory) -> None:
    text = impact(memory, "src/pool.py:4-5").text
    assert "## src/pool.py:4-5 · Pool.take(self)" in text
    assert "Used by: close src/orders.py:4" in text
    assert "Tests: test_take tests/test_pool.py:4" in text
    assert "Told in: docs/pool.md" in text


def test_a_path_alone_is_all_that_is_defined_in_it(memory: Memory) -> None:
    (file,) = impact(memory, "src/pool.py").files
    assert [place.title.partition("(")[0] for place in file.definitions] == [
        "Pool",
        "Pool.take",
        "Pool.give",
        "unused",
    ]


def test_where_a_name_is_defined_is_told_in_place_of_a_file(memory: Memory) -> None:
    found = impact(memory, "unused")
    assert found.text == (
        "# unused\nNo file of this memory. It is defined in src/pool.py:11-12: ask of that."
    )
    assert impact(memory, "nothing.py").text == "# nothing.py\nNo file of this memory."


def test_a_file_that_changed_is_read_again(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src/pool.py").write_text(f"SIZE = 4\n\n\n{_POOL}", "utf-8")
    (file,) = impact(memory, "src/pool.py:7").files
    assert [place.reference for place in file.definitions] == ["src/pool.py:7-8"]


@pytest.mark.parametrize("change", ["", " \n", "--- /dev/null\n+++ /dev/null\n"])
def test_a_change_of_nothing_is_refused(memory: Memory, change: str) -> None:
    with pytest.raises(InvalidInput, match="no file is named"):
        impact(memory, change)


def test_a_diff_is_read_as_it_is_afterwards() -> None:
    assert read_change(_DIFF) == {"src/pool.py": [(5, 5)], "src/gone.py": []}
    assert read_change(_DIFF.replace("\n", "\r\n")) == read_change(_DIFF)
    comment = "--- a/x.sql\n+++ b/y.sql\n@@ -1,2 +1 @@\n--- a comment\n+SELECT 1;\n"
    assert read_change(comment) == {"y.sql": [(1, 1)]}
    assert read_change("a b.md:3\nc.md:1-2") == {"a": [], "b.md": [(3, 3)], "c.md": [(1, 2)]}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        # Lines of context are nobody's change; what only goes counts as the line before it.
        ("--- a/x.py\n+++ b/x.py\n@@ -1,5 +1,4 @@\n a\n b\n-c\n d\n e\n", {"x.py": [(2, 2)]}),
        ("--- a/x.py\n+++ b/x.py\n@@ -9,2 +8,0 @@ def f():\n-c\n-d\n", {"x.py": [(8, 8)]}),
        # SQL's comments look like the heads of files.
        (
            "--- a/x.sql\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- one\n+++ two\n@@ -9 +9 @@\n-x\n+y\n",
            {"x": [(2, 2), (9, 9)]},
        ),
        # A hunk that claims more lines than it has.
        (
            "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            {"x": [(1, 1)], "y": [(1, 1)]},
        ),
        # Neither moves, nor modes, nor what is binary have lines.
        (
            "diff --git a/x y.py b/z.py\nrename from x y.py\nrename to z.py\n",
            {"x y.py": [], "z.py": []},
        ),
        ("diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", {"x y": [(0, 0)]}),
        ("diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n", {"p.png": []}),
        # Of a merge with two parents the file counts, whole.
        (
            "diff --cc x.py\n--- a/x.py\n+++ b/x.py\n@@@ -1,3 -1,3 +1,4 @@@\n  a\n- b\n++d\n",
            {"x.py": []},
        ),
        # Names that git puts in quotes, other letters before them, and none.
        (
            '--- "a/a/\\303\\244 \\"b\\""\n+++ "b/a/\\303\\244 \\"b\\""\n@@ -1 +1 @@\n-a\n+b\n',
            {'a/ä "b"': [(1, 1)]},
        ),
        ('diff --git "a/\\303\\244" "b/\\303\\244"\nold mode 1\nnew mode 2\n', {"ä": [(0, 0)]}),
        ("--- i/x.py\n+++ w/x.py\n@@ -1 +1 @@\n-a\n+b\n", {"x.py": [(1, 1)]}),
        ("--- a/x.py\n+++ a/x.py\n@@ -1 +1 @@\n-a\n+b\n", {"a/x.py": [(1, 1)]}),
        ("--- /dev/null\n+++ b/x.py\n@@ -0,0 +1,2 @@\n+a\n+b\n", {"x.py": [(1, 2)]}),
        ('./x.py:3\n"src/new\\nline.py"', {"x.py": [(3, 3)], "src/new\nline.py": []}),
        (f"diff --git {' ' * 200_000}", {}),
    ],
)
def test_diffs_are_read_as_programs_write_them(
    change: str, found: dict[str, list[tuple[int, int]]]
) -> None:
    held = read_change(change)
    assert {path: held.get(path) for path in found} == found
    assert not found or held == found


def test_a_path_may_have_blanks(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src/my pool.py").write_text(_POOL, "utf-8")
    memory.index()
    assert [file.path for file in impact(memory, "src/my pool.py:5 src/pool.py").files] == [
        "src/my",
        "pool.py",
        "src/pool.py",
    ]
    (file,) = impact(memory, "src/my pool.py:5").files
    assert [place.reference for place in file.definitions] == ["src/my pool.py:4-5"]


def test_a_file_that_is_gone_is_told_as_it_was(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src/pool.py").unlink()
    diff = "--- a/src/pool.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"
    (file,) = impact(memory, diff).files
    assert [place.title.partition("(")[0] for place in file.definitions][-1] == "unused"
    assert set(file.ties["Imported by"]) == {"src/orders.py", "tests/test_pool.py"}


def test_more_files_than_are_looked_at_are_counted(memory: Memory) -> None:
    found = impact(memory, "\n".join(f"x{i}.py" for i in range(203)))
    assert len(found.files) == 200
    assert found.text.endswith("3 more files of the change are left out.")
