"""The measurement of stated facts tells what is followed from what is not."""

import json
from pathlib import Path

import pytest
from bench.stated import main

_WORK = [["Ana", "employer"], ["Ana", "employer name"]]
_GYM = [["Ana", "gym day"]]


def _said(day: str, *statements: tuple[str, list[list[str]], str, str]) -> dict[str, object]:
    names = ("key", "names", "value", "kind")
    return {"date": day, "statements": [dict(zip(names, each, strict=True)) for each in statements]}


def test_an_agent_that_reads_the_reply_follows_what_one_that_does_not_loses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = [
        _said("2026-01-05", ("k1", _WORK, "Globex", "new"), ("k2", _GYM, "Monday", "new")),
        _said("2026-02-05", ("k1", _WORK, "Initech", "change"), ("k2", _GYM, "", "end")),
    ]
    written = tmp_path / "set.json"
    state = {"k1": "Initech", "k2": None}
    written.write_text(json.dumps({"sessions": sessions, "state": state}), encoding="utf-8")
    assert main([str(written), "--words"]) == 0
    all_right = "changes followed 1 of 1, false merges 0 of 4, right and alone today 2 of 2"
    lost = "changes followed 0 of 1, false merges 0 of 4, right and alone today 1 of 2"
    assert capsys.readouterr().out.splitlines() == [
        f"one spelling  {all_right}",
        f"looks         {all_right}",
        f"never looks   {lost}",
    ]
