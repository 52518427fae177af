"""Items handed over in one call, and the page that says what a memory holds."""

from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.memory.excerpts import read_lines
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.write.jobs import STAGES

ASK = IngestItem(
    text="Where do we deploy?", kind="message", metadata={"role": "user", "speaker": "Ann"}
)
TOLD = IngestItem(text="On the blue cluster.", kind="message", metadata={"role": "assistant"})
NOTE = IngestItem(
    text="Blue has two zones.", id="zones", metadata={"title": "Zones", "time": "2026-01"}
)


def test_turns_and_texts_find_their_places(memory: Memory) -> None:
    note = IngestItem(text=NOTE.text, id="zones", metadata={"title": "Zones", "time": "2026-01-05"})
    done = ingest_items(memory, [ASK, note, TOLD], session_key="s1", source="chat")
    assert done.accepted == 3
    assert set(done.source_refs) == {"session:s1#1", "session:s1#2", "manual:zones"}
    assert done.warnings == ()
    assert [stage.stage for stage in done.contract.stage_results] == list(STAGES)
    assert all(stage.ok for stage in done.contract.stage_results)
    assert memory.jobs.get(done.run_id).status == "done"
    assert read_lines(memory, "session:s1").text.splitlines()[0].endswith("Where do we deploy?")
    assert memory.search("how many zones has blue").hits[0].path == "manual:zones"


def test_a_bad_item_is_a_warning_and_the_others_are_kept(memory: Memory) -> None:
    blank = IngestItem(text="  ", kind="message")
    odd = IngestItem(text="x", kind="note", metadata={"time": "2026-02-30"})
    done = ingest_items(memory, [ASK, blank, odd, TOLD], session_key="s1")
    assert done.accepted == 2
    assert [warning.split(":")[0] for warning in sorted(done.warnings)] == ["item 2", "item 3"]


@pytest.mark.parametrize(
    "items", [[], [IngestItem(text="x")] * 10_001, [IngestItem(text="x" * 20_000_001)]]
)
def test_a_batch_has_bounds(memory: Memory, items: list[IngestItem]) -> None:
    with pytest.raises(InvalidInput):
        ingest_items(memory, items)


def test_a_text_takes_the_place_of_no_file(tmp_path: Path) -> None:
    (tmp_path / "pay.md").write_text("# Pay\n\nThe payments service is owned by Ana Brook.\n")
    with Memory.open(tmp_path / "q.db", embedder=None) as memory:
        memory.index(tmp_path)
        with pytest.raises(InvalidInput, match=r"'pay\.md' is a file that was read"):
            memory.add("The payments service is owned by Bo.", source_ref="pay.md")
        memory.index(tmp_path)
        assert "Ana Brook" in memory.ask("Who owns the payments service?").contract.answer
