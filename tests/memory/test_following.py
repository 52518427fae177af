"""Live transcripts: what is new is remembered, what is cut waits."""

import json
import threading
from pathlib import Path
from typing import Any

from quipu.kinds.conversations.model import Transcript
from quipu.kinds.conversations.read.files import Follower
from quipu.memory import Memory
from quipu.records.document import Problem


def line(text: str, session: str = "s") -> str:
    return json.dumps({"speaker": "Ann", "text": text, "session": session}) + "\n"


def said(found: Any) -> list[str]:
    return [turn.text for each in found if isinstance(each, Transcript) for turn in each.turns]


def test_a_line_that_is_cut_waits_for_its_end(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    whole, cut = line("First turn."), line("Second turn.")
    log.write_text(whole + cut[:20])
    follower = Follower([tmp_path])
    found = list(follower.look())
    assert said(found) == ["First turn."]
    assert not any(isinstance(each, Problem) for each in found)
    assert list(follower.look()) == []
    log.write_text(whole + cut)
    assert said(follower.look())[-1] == "Second turn."


def test_a_folder_is_followed_until_it_is_told_to_stop(memory: Memory, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.jsonl").write_text(line("First turn."))
    stop = threading.Event()
    jobs = memory.jobs.follow(logs, stop=stop)
    assert next(jobs).added == 1
    writer = threading.Timer(0.3, lambda: (logs / "b.jsonl").write_text(line("New.", "b")))
    late = threading.Timer(20, stop.set)
    writer.start()
    late.start()
    try:
        assert next(jobs).added == 1
    finally:
        stop.set()
        late.cancel()
    assert list(jobs) == []
    assert memory.store.counts()["chunk"] == 2
