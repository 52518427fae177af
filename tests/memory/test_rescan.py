"""A memory that was written by older rules has no secret left after a rescan, to the last byte."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.read.secret_corpus import forms, is_left

from quipu.memory import Memory
from quipu.read import redact
from quipu.transfer.import_ import write_periods
from quipu.transfer.lines import DECODER, VectorLine, period_of

SECRET = "gravel-Lantern-" + "4711x"
STAND_IN = "something-that-stays"
RUNBOOK = f"""# Runbook

The gateway of the payments team answers on port 8443.

| System | User | Password |
|---|---|---|
| Grafana | admin | {STAND_IN} |

```yaml
env:
  - name: DB_PASSWORD
    value: {STAND_IN}
```
"""

Open = Callable[..., Memory]


def written_by_older_rules(open_memory: Open, folder: Path) -> str:
    """A memory in `folder` whose records hold the secret, as a version wrote it that knew no
    better; the address of it."""
    file = folder.parent / "old.jsonl"
    with open_memory("memory:", folder) as first:
        first.add(RUNBOOK, source_ref="manual:runbook", title="Runbook")
        first.add("The gateway is restarted on Mondays.", source_ref="manual:other")
        first.export(file)
    lines = file.read_bytes().replace(STAND_IN.encode(), SECRET.encode()).splitlines()[1:]
    url = str(folder / ".quipu" / "quipu.db")
    with open_memory(url, home=folder) as memory:
        records = [DECODER.decode(line) for line in lines]
        periods = (period_of(each) for each in records if not isinstance(each, VectorLine))
        write_periods(memory.store, periods, clock=memory.clock)
        memory.reindex()
    return url


def holding(folder: Path, secret: str) -> list[str]:
    """The files below `folder` in which the secret stands."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if secret.encode() in path.read_bytes()]


def test_a_rescan_leaves_no_byte_of_a_secret(open_memory: Open, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    url = written_by_older_rules(open_memory, folder)
    assert holding(folder, SECRET)
    with open_memory(url, home=folder) as memory:
        assert memory.rescan() == ["manual:runbook"]
        assert holding(folder, SECRET) == []
        assert memory.rescan() == []
        memory.reindex()
        hits = memory.search("port of the gateway of payments").hits
        assert any("8443" in hit.text and "[redacted:password]" in hit.text for hit in hits)
        memory.export(tmp_path / "out.jsonl")
        memory.backup(tmp_path / "out.backup")
    assert holding(tmp_path / "home", SECRET) == []
    assert SECRET.encode() not in (tmp_path / "out.jsonl").read_bytes()
    assert SECRET.encode() not in (tmp_path / "out.backup").read_bytes()


_BY_CHANCE = 5
"""Digits that stand in some hash of any memory: a PIN is looked for by the tests of the rules."""


@pytest.mark.slow
def test_no_secret_of_everyday_texts_is_stored(open_memory: Open, tmp_path: Path) -> None:
    """After `index` and `add` none that the rules find is in any byte, an export or a backup."""
    rows = [*forms("tuned"), *forms("kept")]
    sources, home = tmp_path / "sources", tmp_path / "home"
    home.mkdir()
    for number, row in enumerate(rows):
        file = sources / str(number) / row.path
        file.parent.mkdir(parents=True)
        file.write_text(row.text, "utf-8")
    with open_memory(str(home / ".quipu" / "quipu.db"), home=home) as memory:
        memory.index(sources)
        for number, row in enumerate(rows):
            memory.add(row.text, source_ref=f"manual:{number}")
        memory.export(home / "out.jsonl")
        memory.backup(home / "out.backup")
    held = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    text = held.decode("utf-8", "replace")
    known = [
        secret
        for row in rows
        for secret in row.secrets
        if len(secret) > _BY_CHANCE and not is_left(secret, redact(row.text)[0])
    ]
    left = [secret for secret in known if secret in text]
    print(f"{len(left)} of {len(known)} secrets that are known are stored")
    assert len(known) > 240
    assert left == []


class _Killed(BaseException):
    """As a process ends that is killed: nothing after it is done."""


def _killed_rescan(memory: Memory, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """A rescan of `memory` that ends before this function of it has done anything."""

    def dies(*_args: object, **_named: object) -> None:
        raise _Killed

    with monkeypatch.context() as patched:
        patched.setattr(f"quipu.transfer.rescan.{step}", dies)
        with pytest.raises(_Killed):
            memory.rescan()


def test_what_a_killed_rescan_erased_is_there_when_the_memory_is_opened(
    open_memory: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    url = written_by_older_rules(open_memory, folder)
    with open_memory(url, home=folder) as memory:
        _killed_rescan(memory, monkeypatch, "take_back")
    with open_memory(url, home=folder) as memory:
        hits = memory.search("port of the gateway of payments").hits
        assert any("8443" in hit.text for hit in hits)
        assert holding(folder, SECRET) == []


def test_what_is_forgotten_after_a_killed_rescan_does_not_come_back(
    open_memory: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    url = written_by_older_rules(open_memory, folder)
    with open_memory(url, home=folder) as memory:
        _killed_rescan(memory, monkeypatch, "take_back")
        memory.forget(["manual:runbook"])
        assert holding(folder, "8443") == []
        memory.rescan()
        hits = memory.search("port of the gateway of payments").hits
        assert [hit for hit in hits if "8443" in hit.text] == []
