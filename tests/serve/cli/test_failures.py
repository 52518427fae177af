"""Every failure is one readable line, a documented exit code and, if asked for, a document."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.rows import rows
from tests.serve.cli.conftest import Outcome

from quipu.errors import (
    BrokenPromise,
    CorruptStore,
    InvalidInput,
    MissingModel,
    QuipuError,
    StoreUnavailable,
    UnknownRecord,
)
from quipu.serve.cli.failures import run

PROGRAM = [sys.executable, "-m", "quipu.serve.cli"]


@pytest.mark.parametrize(
    ("words", "part"),
    rows(__file__, "a_mistake_is_one_line_that_names_the_value_and_exits_2"),
)
def test_a_mistake_is_one_line_that_names_the_value_and_exits_2(quipu, words, part) -> None:
    _is_a_mistake(quipu(*words), part)


def _is_a_mistake(outcome: Outcome, part: str) -> None:
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("error: ")
    assert part in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("words", [["serch"], ["search", "x"], ["get"], ["golden"], ["relation"]])
def test_with_json_a_failure_is_a_document_too(quipu, words) -> None:
    outcome = quipu(*words, "--json")
    assert outcome.code == 2
    assert outcome.document.keys() == {"error"}
    assert outcome.document["error"].keys() == {"kind", "message"}
    assert outcome.document["error"]["message"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("a"), 2),
        (UnknownRecord("a"), 2),
        (StoreUnavailable("a"), 3),
        (MissingModel("a"), 3),
        (CorruptStore("a"), 3),
        (BrokenPromise("a"), 3),
        (QuipuError("a"), 3),
        (PermissionError(13, "a"), 3),
        (RuntimeError("a"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_family_has_its_exit_code(error, code, capsys) -> None:
    def command() -> None:
        raise error

    with pytest.raises(SystemExit) as left:
        run(command, as_json=False, traceback=False)
    assert left.value.code == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_an_interrupted_watch_ends_with_130_and_the_store_whole(project: Path) -> None:
    program = subprocess.Popen(
        [*PROGRAM, "watch", "--json", "--no-embed"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=project,
    )
    assert program.stdout is not None
    assert json.loads(program.stdout.readline())["unchanged"] >= 1
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert program.returncode == 130
    assert "Traceback" not in errors
    done = subprocess.run(
        [*PROGRAM, "validate", "--json"], cwd=project, capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["errors"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("golden", "run", "deep"),
        ("incident", "import", "deep"),
        ("import", "deep"),
        ("import", "deep.jsonl"),
        ("relation", "list", "docs/ledger.md", "--limit", "9" * 80),
        ("relation", "list", "--limit", "9" * 80),
    ],
)
def test_what_is_too_deep_or_too_large_is_the_callers_mistake(quipu, project: Path, words) -> None:
    assert quipu("export", "deep.jsonl").code == 0
    deep = '{"incidents":' * 50_000
    (project / "deep").write_text(deep)
    with (project / "deep.jsonl").open("a", encoding="utf-8") as lines:
        lines.write(deep + "\n")
    outcome = quipu(*words)
    assert (outcome.code, "should not happen" in outcome.err) == (2, False)
