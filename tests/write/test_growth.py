"""An indexing run costs what changed: reads and resolutions are counted, never time."""

import base64
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.memory import Memory
from quipu.write import links, stamps, survey

FILES = {f"d{n % 3}/{n}.md": f"# Page {n}\n\nSee [next]({n + 3}.md).\n" for n in range(30)}
Tree = Callable[[dict[str, str]], None]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many files were read and how many sources resolved since it was last cleared."""
    counts: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        real = getattr(module, name)

        def counting(*arguments: Any, **options: Any) -> Any:
            counts[name] += 1
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, counting)

    count(survey, "read_source")
    count(links, "linked_claims")
    return counts


@pytest.fixture
def at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as at rest at once."""
    monkeypatch.setattr(stamps, "_AT_REST_NS", 0)


@pytest.mark.usefixtures("at_rest")
def test_one_changed_file_is_read_and_resolved_alone(
    memory: Memory, tree: Tree, counted: Counter[str], snapshot: Any, from_scratch: Any
) -> None:
    tree(FILES)
    time.sleep(0.02)
    memory.index()
    for paths in ([], [memory.home.folder / "d1" / "1.md"]):
        counted.clear()
        tree({"d1/1.md": FILES["d1/1.md"] + f"\nOne more line, {len(paths)}.\n"})
        assert memory.index(paths).changed == ("d1/1.md",)
        assert counted == {"read_source": 1, "linked_claims": 1}
    counted.clear()
    assert memory.index().unchanged == 30
    assert counted["linked_claims"] == 0
    assert counted["read_source"] <= 1
    assert snapshot(memory.store) == from_scratch(memory.home.folder)


def test_what_others_refer_to_is_resolved_again_for_all(
    memory: Memory, tree: Tree, counted: Counter[str], snapshot: Any, from_scratch: Any
) -> None:
    tree(FILES)
    memory.index()
    for files in ({"d1/1.md": "# Another title\n\nSee [[Page 2]].\n"}, {"d0/new.md": "# New\n"}):
        counted.clear()
        tree(files)
        memory.index()
        assert counted["linked_claims"] >= 30
        assert snapshot(memory.store) == from_scratch(memory.home.folder)
    (memory.home.folder / "d1" / "4.md").unlink()
    memory.index()
    assert snapshot(memory.store) == from_scratch(memory.home.folder)


@pytest.mark.parametrize("damaged", [b"", b"\x00", b"\xff" * 100])
def test_hints_that_are_lost_or_damaged_cost_nothing_but_work(
    memory: Memory, tree: Tree, damaged: bytes, snapshot: Any, from_scratch: Any
) -> None:
    tree(FILES)
    memory.index()
    assert memory.home.state is not None
    for hint in memory.home.state.glob("*.msgpack"):
        hint.write_bytes(damaged)
    tree({"d1/1.md": "# Page 1\n\nChanged.\n"})
    assert memory.index().changed == ("d1/1.md",)
    assert snapshot(memory.store) == from_scratch(memory.home.folder)


def test_forgetting_leaves_nothing_of_a_source_in_the_hints(memory: Memory, tree: Tree) -> None:
    tree({"a.md": "# A\n", "gone.md": "# Peculiar title\n"})
    memory.index()
    (memory.home.folder / "gone.md").unlink()
    memory.index()
    memory.forget("gone.md")
    assert memory.home.state is not None
    assert memory.index().changed == ()
    held = [path.read_bytes() for path in Path(memory.home.state).glob("*.msgpack")]
    assert not any(b"Peculiar" in data for data in held)


@pytest.mark.parametrize("packed", ["", "no base64 at all!", base64.b64encode(b"no zlib").decode()])
def test_what_nobody_packed_is_none(packed: str) -> None:
    assert links.unpack(packed) is None


def test_what_unfolds_to_too_much_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quipu.write.links._MOST_BYTES", 1_000)
    assert links.unpack(base64.b64encode(zlib.compress(bytes(10_000))).decode()) is None
