"""A few passages are written where they are: no process is started for them."""

import subprocess

import pytest

from quipu.memory import Memory
from quipu.records.passage import PassageInput


def test_one_passage_starts_no_process(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    report = memory.add_documents([PassageInput(source_ref="a", text="Ann leads payments.")])
    assert report.added == ("a",)
