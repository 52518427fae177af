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
