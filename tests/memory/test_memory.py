"""The handle: opening, asking, looking up, forgetting, status, re-embedding."""

import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import quipu
from quipu import Memory, Passage
from quipu.errors import InvalidInput, MissingModel, QuipuError, StoreUnavailable, UnknownRecord
from quipu.records.record import Chunk, Entity, Episode
from quipu.testing.fakes import HashEmbedder

Tree = Callable[[dict[str, str]], None]
Open = Callable[..., Memory]

TREE = {
    "CODEOWNERS": "*.py @team-pay\n",
    "docs/guide.md": "# Guide\n\nPayments are made by `charge_card`.\n\nSee [other](other.md).\n",
    "docs/other.md": "# Other\n\nRefunds take three days at Lloyds.\n",
    "pay.py": "def charge_card(card, amount):\n    '''Charge a card.'''\n    return amount\n",
}


def test_ask_answers_with_citations_or_unknown(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    reply = memory.ask("Where is charge_card defined?")
    assert reply.contract.timestamp == "2026-03-01T10:00:00.000Z"
    assert [c.path for c in reply.citations][:1] == ["pay.py"]
    unknown = memory.ask("Who won the 1987 chess tournament in Reykjavik?")
    assert (unknown.contract.answer, unknown.contract.evidence) == ("unknown", ())
    assert unknown.contract.limitations
    assert unknown.contract.next_step


def test_asking_writes_nothing(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    before = memory.store.sequence()
    memory.ask("charge_card")
    memory.search("refunds", use_graph=False)
    memory.stats()
    memory.validate()
    assert memory.store.sequence() == before
    assert not list(memory.home.folder.rglob("*usage*"))


def test_get_opens_ids_paths_lines_sources_and_names(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    document = memory.get("docs/guide.md")
    assert isinstance(document, Entity)
    assert memory.get(document.entity_id) == document
    assert memory.get("Guide") == document
    passage = memory.get("docs/guide.md:3-3")
    assert isinstance(passage, Passage)
    assert passage.text == "Payments are made by `charge_card`."
    assert (passage.start_line, passage.end_line) == (3, 3)
    assert memory.get("docs/guide.md#L3") == passage
    chunk = memory.get(passage.chunk_ids[0])
    assert isinstance(chunk, Chunk)
    assert isinstance(memory.get(chunk.episode_id), Episode)
    symbol = memory.get("charge_card")
    assert isinstance(symbol, Entity)
    assert symbol.type == "Symbol"


@pytest.mark.parametrize(
    ("ref", "error", "said"),
    [
        ("", InvalidInput, "empty"),
        ("docs/giude.md", UnknownRecord, "docs/guide.md"),
        ("guide.md", UnknownRecord, "docs/guide.md"),
        ("en_000000000000000000000000", UnknownRecord, "en_0000"),
        ("docs/guide.md:900", UnknownRecord, "ends at line"),
        ("docs/guide.md:3-2", InvalidInput, "3-2"),
        ("docs/guide.md:0", InvalidInput, "0-0"),
    ],
)
def test_what_is_not_there_is_said_with_the_nearest(
    memory: Memory, tree: Tree, ref: str, error: type[QuipuError], said: str
) -> None:
    tree(TREE)
    memory.index()
    with pytest.raises(error, match=said):
        memory.get(ref)


def test_forget_erases_a_source_and_its_history(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    tree({"docs/other.md": "# Other\n\nRefunds take five days.\n"})
    memory.index()
    document = memory.get("docs/other.md")
    assert isinstance(document, Entity)
    assert memory.forget("docs/other.md") >= 2
    with pytest.raises(UnknownRecord):
        memory.get(document.entity_id)
    assert all(h.path != "docs/other.md" for h in memory.search("refunds").hits)
    with pytest.raises(UnknownRecord):
        memory.forget(["docs/guide.md", "docs/other.md"])
    assert memory.get("docs/guide.md")


def test_status_counts_and_dates(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path, TREE)
    now = ["2026-03-01T10:00:00.000Z"]
    with open_memory(tmp_path / ".quipu" / "quipu.db", tmp_path, clock=lambda: now[0]) as memory:
        assert memory.stats().age_s is None
        memory.index(tmp_path, embed=False)
        status = memory.stats()
        assert status.generation == memory.store.sequence()
        assert status.unembedded == status.counts["chunk"] > 0
        assert (status.age_s, status.stale) == (0.0, False)
        now[0] = "2026-03-03T10:00:01.000Z"
        assert memory.stats().stale
        assert any("hours old" in note for note in memory.search("refunds").notes)
        memory.index(tmp_path)
        assert (memory.stats().stale, memory.stats().unembedded) == (False, 0)


def test_without_a_model_words_and_graph_work_and_say_so(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path, TREE)
    with open_memory("memory:", tmp_path, embedder=None) as memory:
        report = memory.index()
        assert report.notes
        assert report.unembedded == report.chunks
        found = memory.search("refunds")
        assert found.hits[0].path == "docs/other.md"
        assert found.notes
        assert memory.stats().model is None
        with pytest.raises(MissingModel):
            memory.reindex()


def test_reindex_builds_the_new_space_before_it_drops_the_old(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path, TREE)
    url = tmp_path / ".quipu" / "quipu.db"
    with open_memory(url, tmp_path, embedder=HashEmbedder(16)) as memory:
        chunks = memory.index(tmp_path).chunks

    class Failing(HashEmbedder):
        """Stops in the middle, as a killed run does."""

        def embed_parts(self, text: str, spans: Any) -> Any:
            if self.calls >= 2:
                raise KeyboardInterrupt
            return super().embed_parts(text, spans)

    with open_memory(url, tmp_path, embedder=Failing(24)) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.reindex()
        assert memory.stats().spaces["hash/1/exact/16"] == chunks
    with open_memory(url, tmp_path, embedder=HashEmbedder(24)) as memory:
        with pytest.raises(InvalidInput, match="other-model"):
            memory.reindex("other-model")
        report = memory.reindex("hash/1")
        assert report.dropped == ("hash/1/exact/16",)
        assert memory.stats().spaces == {"hash/1/exact/24": chunks}
        assert memory.reindex().embedded == 0


def test_namespaces_do_not_leak(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path / "one", {"a.md": "# Alpha\n\nThe secret of Alpha is blue.\n"})
    write_files(tmp_path / "two", {"b.md": "# Beta\n\nBeta is public.\n"})
    url = tmp_path / "both.db"
    with (
        open_memory(url, tmp_path, namespace="one") as one,
        open_memory(url, tmp_path, namespace="two") as two,
    ):
        one.index(tmp_path / "one")
        two.index(tmp_path / "two")
        assert two.search("secret of Alpha blue").hits == () or all(
            h.path == "two/b.md" for h in two.search("secret of Alpha blue").hits
        )
        with pytest.raises(UnknownRecord):
            two.get("one/a.md")
        assert two.stats().counts["chunk"] == 1
        one.forget("one/a.md")
        assert two.stats().counts["chunk"] == 1


def test_a_read_only_database_can_be_searched_not_written(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path, TREE)
    url = tmp_path / ".quipu" / "quipu.db"
    with open_memory(url, tmp_path) as memory:
        memory.index(tmp_path)
        expected = memory.search("refunds").hits
    url.chmod(stat.S_IRUSR)
    with open_memory(url, tmp_path, read_only=True) as memory:
        assert memory.search("refunds").hits == expected
        assert memory.plan("refunds").seeds
        assert memory.stats().counts["chunk"] > 0
        with pytest.raises(StoreUnavailable):
            memory.add("Something new.")


def test_threads_may_share_a_memory(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    failures: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for turn in range(5):
                memory.add(f"Thread {n} says {turn}.", source_ref=f"t:{n}:{turn}")
                assert memory.search(f"Thread {n} says {turn}").hits
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert memory.stats().counts["chunk"] == 20 + memory.index().documents


def test_a_verb_of_the_version_before_works_and_names_the_new_one(memory: Memory) -> None:
    memory.add("Ada leads payments.")
    with pytest.warns(DeprecationWarning, match=r"memory\.facts\.history"):
        entries = memory.history("Ada").entries
    assert entries == memory.facts.history("Ada").entries
    with pytest.warns(DeprecationWarning, match=r"memory\.graph"):
        assert memory.graph_for("Who leads payments?").sequence() == memory.store.sequence()
    with pytest.raises(AttributeError):
        memory.nothing_of_the_kind()


def test_every_exported_name_can_be_imported() -> None:
    assert [name for name in quipu.__all__ if not hasattr(quipu, name)] == []
