"""The ledger of operational state."""

from pathlib import Path

import pytest

from quipu.errors import CorruptStore
from quipu.ledger import Entry, Ledger


def test_a_put_names_the_version_it_replaces(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ops.db") as ledger:
        assert ledger.get("job", "one") is None
        assert ledger.put_if("job", "one", 0, b"a")
        assert not ledger.put_if("job", "one", 0, b"b")
        assert ledger.put_if("job", "one", 1, b"c")
        assert not ledger.put_if("job", "one", 1, b"d")
        assert ledger.get("job", "one") == Entry("one", 2, b"c")


def test_one_of_two_racing_processes_wins(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ops.db") as one, Ledger(tmp_path / "ops.db") as two:
        assert [one.put_if("k", "x", 0, b"1"), two.put_if("k", "x", 0, b"2")] == [True, False]
        assert two.get("k", "x") == Entry("x", 1, b"1")


def test_kinds_are_listed_apart_and_by_key(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ops.db") as ledger:
        for kind, key in (("job", "b"), ("job", "a"), ("usage", "c"), ("job", "d")):
            ledger.put_if(kind, key, 0, b"")
        assert [e.key for e in ledger.list("job")] == ["a", "b", "d"]
        assert [e.key for e in ledger.list("job", after="a", limit=1)] == ["b"]
        assert ledger.delete("job", "a")
        assert not ledger.delete("job", "a")
        assert [e.key for e in ledger.list("job")] == ["b", "d"]


def test_a_damaged_ledger_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "ops.db"
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(CorruptStore, match="delete it"):
        Ledger(path)


def test_hints_take_the_place_of_what_stands_there(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ops.db") as ledger:
        ledger.put_hints("seen", {"a": b"1", "b": b"2"})
        ledger.put_hints("seen", {"b": b"3", "c": b"4"})
        assert ledger.list("seen") == [
            Entry("a", 1, b"1"),
            Entry("b", 2, b"3"),
            Entry("c", 1, b"4"),
        ]
        assert ledger.put_if("seen", "a", 1, b"5", durable=False)
        assert ledger.delete("seen", "c", durable=False)
    with Ledger(tmp_path / "ops.db") as ledger:
        assert [e.value for e in ledger.list("seen")] == [b"5", b"3"]
