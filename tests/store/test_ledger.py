"""The ledger of operational state."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from quipu.errors import CorruptStore
from quipu.ledger import Ledger, LedgerEntry, Salvaged, salvage
from quipu.serve.keys import ApiKeys


def test_a_put_names_the_version_it_replaces(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ops.db") as ledger:
        assert ledger.get("job", "one") is None
        assert ledger.put_if("job", "one", 0, b"a")
        assert not ledger.put_if("job", "one", 0, b"b")
        assert ledger.put_if("job", "one", 1, b"c")
        assert not ledger.put_if("job", "one", 1, b"d")
        assert ledger.get("job", "one") == LedgerEntry("one", 2, b"c")


def _open_again_and_again(path: Path) -> int:
    for _ in range(500):
        with Ledger(path) as ledger:
            ledger.list("job")
    return 500


def test_a_ledger_opens_while_another_process_closes_it(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        opened = processes.map(_open_again_and_again, [tmp_path / "ops.db"] * 4)
        assert sum(opened) == 2_000


def test_kinds_are_listed_apart_and_by_key(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ops.db") as ledger:
        for kind, key in (("job", "b"), ("job", "a"), ("usage", "c"), ("job", "d")):
            ledger.put_if(kind, key, 0, b"")
        assert [e.key for e in ledger.list("job")] == ["a", "b", "d"]
        assert [e.key for e in ledger.list("job", after="a", limit=1)] == ["b"]
        ledger.change(delete=[("job", "a"), ("job", "none")])
        assert [e.key for e in ledger.list("job")] == ["b", "d"]


def test_a_damaged_ledger_is_put_aside_and_a_server_stays_closed(tmp_path: Path) -> None:
    path = tmp_path / "ops.db"
    with Ledger(path) as ledger:
        for n in range(60):
            ledger.put_if("payload", f"{n:03d}", 0, bytes([65 + n % 26]) * 900)
    assert salvage(path) == Salvaged(None)
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    middle = len(data) // page // 2 * page
    data[middle : middle + page] = b"\xff" * page
    path.write_bytes(bytes(data))
    with pytest.raises(CorruptStore, match="salvage"), Ledger(path) as ledger:
        ledger.list("payload")
    aside = salvage(path).aside
    assert aside is not None
    assert aside.read_bytes() == bytes(data)
    with Ledger(path) as ledger:
        assert ledger.list("payload") == []
        assert ApiKeys(ledger, sealing=b"", clock=str).any()
        ledger.erase()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ops.db"]


def test_what_was_deleted_leaves_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "ops.db"
    with Ledger(path) as ledger, Ledger(path) as other:
        ledger.change(put={("payload", "a"): b"xylograph" * 2_000, ("payload", "b"): b"stays"})
        other.change(delete=[("payload", "a")])
        ledger.erase()
        held = b"".join(p.read_bytes() for p in tmp_path.iterdir())
        assert b"xylograph" not in held
        assert ledger.list("payload") == [LedgerEntry("b", 1, b"stays")]
