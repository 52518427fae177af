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


def test_a_file_that_changed_is_read_again(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src/pool.py").write_text(f"SIZE = 4\n\n\n{_POOL}", "utf-8")
    (file,) = impact(memory, "src/pool.py:7").files
    assert [place.reference for place in file.definitions] == ["src/pool.py:7-8"]


@pytest.mark.parametrize("change", ["", " \n", "--- /dev/null\n+++ /dev/null\n"])
def test_a_change_of_nothing_is_refused(memory: Memory, change: str) -> None:
    with pytest.raises(InvalidInput, match="no file is named"):
        impact(memory, change)


def test_a_diff_is_read_as_it_is_afterwards() -> None:
    assert read_change(_DIFF) == {"src/pool.py": [(4, 5)], "src/gone.py": []}
    comment = "--- a/x.sql\n+++ b/y.sql\n@@ -1,2 +1 @@\n--- a comment\n+SELECT 1;\n"
    assert read_change(comment) == {"y.sql": [(1, 1)]}
    assert read_change("a b.md:3\nc.md:1-2") == {"a": [], "b.md": [(3, 3)], "c.md": [(1, 2)]}
