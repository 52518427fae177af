"""What is forgotten while reports are written stays in none of them, and a kill loses none."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from quipu import Memory
from quipu.kinds.reports.model import REPORT, REPORTS
from quipu.records.batch import Batch

Remember = Callable[..., None]
LEDGER = "docs/ledger.md"


def _held(memory: Memory) -> bytes:
    sources = memory.store.sources(REPORTS)
    return msgspec.json.encode(list(memory.store.get([s.episode_id for s in sources]).values()))


def _writes_reports(batch: Batch) -> bool:
    return any(e.source_type == REPORT for e in batch.episodes)


def test_what_is_forgotten_before_reports_are_written_is_in_none(
    memory: Memory, remember: Remember, monkeypatch: pytest.MonkeyPatch, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    write, forget = memory.store.write, memory.store.forget

    def late(batch: Batch) -> Any:
        if _writes_reports(batch):
            forget([LEDGER])
        return write(batch)

    with monkeypatch.context() as patched:
        patched.setattr(memory.store, "write", late)
        done = memory.reports.reflect()
    assert LEDGER.encode() not in _held(memory)
    assert [r.ref for r in done.reports] == list(done.made)
    assert len(done.made) == 1


def test_a_report_written_while_its_source_is_forgotten_goes_with_it(
    memory: Memory, remember: Remember, monkeypatch: pytest.MonkeyPatch, town: Any
) -> None:
    remember(memory, town.payments, town.gardens)
    forget, written = memory.store.forget, list[int]()

    def late(refs: Any) -> int:
        if LEDGER in refs and not written:
            written.append(1)
            memory.reports.reflect()  # after it was looked for reports, before the source is gone
        return forget(refs)

    with monkeypatch.context() as patched:
        patched.setattr(memory.store, "forget", late)
        assert memory.forget(LEDGER) == 1
    assert written
    assert LEDGER.encode() not in _held(memory)
    assert len(memory.reports()) == 1
