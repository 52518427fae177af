"""Reports: what is made, kept and retired, the same each time, and what never stays in them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quipu import Memory
from quipu.kinds.reports.model import REPORTS, Report, report_text

Remember = Callable[..., None]


def _by_subject(reports: tuple[Report, ...], name: str) -> Report:
    return next(r for r in reports if any(n.name == name for n in r.names))


def _bytes(memory: Memory) -> bytes:
    return msgspec.json.encode(memory.reports(), order="deterministic")


def test_each_subject_is_a_community_with_its_own_names_and_sentences(
    memory: Memory, remember: Remember, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    done = memory.reports.reflect()
    assert (len(done.made), done.kept, done.retired, done.left_out) == (2, (), (), 0)
    payments = _by_subject(done.reports, "Ledger Store")
    assert payments.documents == 3
    assert payments.place == "docs/"
    assert {q.source_ref for q in payments.quotes} <= set(town.payments)
    roses = _by_subject(done.reports, "Old Garden")
    assert {q.source_ref for q in roses.quotes} <= set(town.gardens)
    assert memory.reports() == done.reports


def test_every_quoted_sentence_stands_in_the_passage_and_lines_it_names(
    memory: Memory, remember: Remember, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    quotes = [q for r in memory.reports.reflect().reports for q in r.quotes]
    assert quotes
    for quote in quotes:
        passage = memory.get(f"{quote.source_ref}:{quote.start_line}-{quote.end_line}")
        assert quote.text in " ".join(str(getattr(passage, "text", "")).split())


def test_again_changes_nothing_and_a_fresh_store_gives_the_same_bytes(
    memory: Memory, remember: Remember, tmp_path: Path, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    first = memory.reports.reflect()
    held, sequence = _bytes(memory), memory.store.sequence()
    again = memory.reports.reflect()
    assert (again.made, again.retired) == ((), ())
    assert sorted(again.kept) == sorted(first.made)
    assert memory.store.sequence() == sequence
    with Memory.open("memory:", home=tmp_path, embedder=None) as other:
        other.index(tmp_path)
        other.reports.reflect()
        assert _bytes(other) == held


def test_only_the_community_that_changed_is_written_anew(
    memory: Memory, remember: Remember, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    before = {r.ref for r in memory.reports.reflect().reports}
    roses = _by_subject(memory.reports(), "Old Garden").ref
    payments = _by_subject(memory.reports(), "Ledger Store").ref
    changed = town.payments["docs/ledger.md"].replace("every month", "every quarter of the year")
    remember(memory, {"docs/ledger.md": changed})
    done = memory.reports.reflect()
    assert done.kept == (roses,)
    assert done.retired == (payments,)
    assert len(done.made) == 1
    assert before.isdisjoint(done.made)
    assert "every quarter" in report_text(_by_subject(memory.reports(), "Ledger Store"))


def test_reports_stay_out_of_words_names_vectors_and_validation(
    memory: Memory, remember: Remember, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    counts, spaces = memory.store.counts(), memory.store.spaces()
    hits = memory.search("Who audits the Ledger Store?").hits
    answer = memory.ask("Who audits the Ledger Store?").contract
    doubts = memory.validate()
    memory.reports.reflect()
    after = memory.store.counts()
    assert after.pop("episode") == counts.pop("episode") + 3  # two reports, and that they are
    assert (after, memory.store.spaces()) == (counts, spaces)
    assert memory.search("Who audits the Ledger Store?").hits == hits
    assert memory.ask("Who audits the Ledger Store?").contract == answer
    assert memory.validate() == doubts


def test_what_is_forgotten_stays_in_no_report(
    memory: Memory, remember: Remember, tmp_path: Path, town: Any
) -> None:
    secret = town.payments["docs/ledger.md"] + (
        "\nThe Ledger Store is unlocked by the word xylographer, which Dana Reyes knows.\n"
    )
    remember(memory, town.payments, town.gardens, {"docs/ledger.md": secret})
    memory.reports.reflect()
    assert any("xylographer" in report_text(r) for r in memory.reports())
    assert memory.forget("docs/ledger.md") == 1
    left = memory.reports()
    assert not any("docs/ledger.md" in r.source_refs for r in left)
    assert _by_subject(left, "Old Garden")
    held = b"".join(p.read_bytes() for p in (tmp_path / ".quipu").glob("quipu.db*") if p.is_file())
    assert b"xylographer" not in held
    records = memory.store.get([s.episode_id for s in memory.store.sources(REPORTS)])
    assert b"xylographer" not in msgspec.json.encode(list(records.values()))


def test_half_written_reports_are_made_whole_by_the_next_run(
    memory: Memory, remember: Remember, monkeypatch: pytest.MonkeyPatch, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    memory.reports.reflect()
    remember(
        memory, town.music, {"docs/ledger.md": town.payments["docs/ledger.md"] + "\nMore of it.\n"}
    )

    def dies(_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(memory.store, "forget", dies)
        with pytest.raises(KeyboardInterrupt):
            memory.reports.reflect()
    assert len(memory.reports()) == 4  # both the old and the new report of the payments
    done = memory.reports.reflect()
    assert (done.made, len(done.kept), len(done.retired)) == ((), 3, 1)
    assert len(memory.reports()) == 3


def test_the_budget_bounds_how_many_and_how_long(
    memory: Memory, remember: Remember, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    one = memory.reports.reflect(communities=1)
    assert (len(one.reports), one.communities, one.left_out) == (1, 2, 1)
    short = memory.reports.reflect(characters=400)
    assert len(short.reports) == 2
    assert all(len(report_text(r)) <= 400 for r in short.reports)
    assert short.characters == sum(len(report_text(r)) for r in short.reports)
