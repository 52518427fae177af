"""Files made to stall a run or to exhaust it: a row in the report, and everything else as ever."""

import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from bench.torture.files import pdf, zipped

from quipu.config import Config, IndexConfig
from quipu.errors import InvalidInput

GOOD = {"a.md": "# A\n\nSee [B](b.md).\n", "b.md": "# B\n\nText.\n", "c.py": "def f():\n    pass\n"}
HOLDS_MEMORY = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is bounded otherwise here"
)


def strict(seconds: float, memory_mb: int = 0) -> Config:
    return Config(index=IndexConfig(max_seconds=seconds, max_memory_mb=memory_mb))


SLOW = "See [a](b.md), *c* and `d_e` of **f**.\n\n" * 20_000
SWELLING = pdf(zlib.compress(b"BT /F 9 Tf " + b"(a) Tj 9 0 Td " * 150_000 + b"ET", 9))


def indexed(
    home: Path, files: dict[str, Any], open_memory: Any, snapshot: Any, config: Config
) -> tuple[Any, list[str]]:
    (home / ".quipu").mkdir(parents=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (home / name).write_bytes(data)
        os.utime(home / name, (0, 0))
    with open_memory(home / ".quipu" / "quipu.db", home, config=config) as memory:
        report = memory.index()
        rows = json.loads((home / ".quipu" / "index_errors.json").read_text())["errors"]
        assert [row["path"] for row in rows] == [row.path for row in report.errors]
        return snapshot(memory.store), [f"{row.path}: {row.error}" for row in report.errors]


@pytest.mark.parametrize(
    ("name", "content", "config", "said"),
    [
        ("slow.md", SLOW, strict(0.3), "took longer than 0.3 s"),
        pytest.param("bomb.pdf", SWELLING, strict(30, 60), "memory|ended with", marks=HOLDS_MEMORY),
        (
            "bomb.docx",
            zipped(("word/document.xml", b" " * 101_000_000)),
            strict(30),
            "would unpack to 101000000 bytes",
        ),
    ],
)
def test_a_hostile_file_is_a_row_and_the_rest_is_as_ever(
    tmp_path: Path,
    open_memory: Any,
    snapshot: Any,
    name: str,
    content: Any,
    config: Config,
    said: str,
) -> None:
    plain, none = indexed(tmp_path / "plain", GOOD, open_memory, snapshot, config)
    files = {name: content, **GOOD}
    hostile, rows = indexed(tmp_path / "hostile", files, open_memory, snapshot, config)
    assert none == []
    assert len(rows) == 1
    assert any(part in rows[0] for part in said.split("|"))
    assert hostile == plain


def test_a_text_that_is_given_has_the_same_limits(tmp_path: Path, open_memory: Any) -> None:
    with open_memory("memory:", tmp_path, config=strict(0.3)) as memory:
        with pytest.raises(InvalidInput, match=r"took longer than 0\.3 s"):
            memory.add(SLOW, source_ref="slow.md")
        memory.add("A text that is none of it.", source_ref="good.md")
        assert memory.store.counts()["chunk"] == 1


def test_transcripts_goals_and_incidents_have_the_same_limits(
    tmp_path: Path, open_memory: Any
) -> None:
    turns = "".join(f'{{"speaker":"Ann","text":"Word {n}."}}\n' for n in range(60_000))
    tasks = "".join(f'{{"kind":"task","id":"T{n}","title":"Do {n}"}}\n' for n in range(60_000))
    reports = "".join(f'{{"component":"c{n}","severity":"low"}}\n' for n in range(60_000))
    for name, text in (("talk", turns), ("tasks", tasks), ("reports", reports)):
        (tmp_path / f"{name}.jsonl").write_text(text)
    said = "took longer than 0.00"
    with open_memory("memory:", tmp_path, config=strict(0.001)) as memory:
        for name in ("talk", "tasks"):
            assert said in memory.ingest(tmp_path / f"{name}.jsonl").errors[0].error
        assert said in memory.incidents.add_files(tmp_path / "reports.jsonl").errors[0].error
        assert memory.store.counts()["chunk"] == 0
