"""`ingest`, `add` and `jobs` from the command line."""

import json
from pathlib import Path

import pytest
from tests.serve.cli.conftest import Quipu

LINES = (
    '{"speaker": "Ann", "text": "Please always use tabs.", "session": "s"}\n'
    '{"speaker": "Bo", "text": "We moved from MySQL to Postgres in May 2025.", "session": "s"}\n'
)


@pytest.fixture
def home(quipu: Quipu, tmp_path: Path) -> Path:
    assert quipu("init").code == 0
    return tmp_path


def test_a_folder_of_transcripts_is_remembered(quipu: Quipu, home: Path) -> None:
    (home / "logs").mkdir()
    (home / "logs" / "a.jsonl").write_text(LINES + '{"speaker": "Ann", "te')
    done = quipu("ingest", "logs", "--json")
    assert done.code == 0
    job = done.document
    assert (job["status"], job["added"]) == ("done", 2)
    assert [row["path"] for row in job["errors"]] == ["a.jsonl:3"]
    assert "tabs" in quipu("facts").out
    shown = quipu("jobs", job["job_id"]).out
    assert "2 passages added" in shown
    stages = next(line for line in shown.splitlines() if "index 2" in line)
    assert all(stages.strip().split("; "))
    assert job["job_id"] in quipu("jobs").out


def test_what_is_no_transcript_is_said(quipu: Quipu, home: Path) -> None:
    (home / "odd.jsonl").write_text("no transcript at all")
    assert quipu("ingest", "odd.jsonl").code == 1
    assert quipu("ingest", "nowhere").code == 2
    assert quipu("ingest", "-", "odd.jsonl").code == 2
    assert quipu("ingest", "-", stdin="nothing").code == 2
    assert quipu("jobs", "job_0").code == 2


def test_what_was_not_read_is_counted_and_listed_by_its_line(quipu: Quipu, home: Path) -> None:
    rows = [json.dumps({"speaker": "Ann", "text": f"This is line {n}."}) for n in range(1, 13)]
    for bad in (9, 10, 2):
        rows[bad - 1] = '{"speaker": "Ann", "text": ""}'
    (home / "talk.jsonl").write_text("\n".join(rows))
    for given, name in (("talk.jsonl", "talk.jsonl"), ("-", "standard input")):
        done = quipu("ingest", given, stdin="\n".join(rows))
        assert done.code == 0
        listed = done.out.split("could not be read (3)\n")[1].splitlines()
        assert [row.partition(": ")[0].strip() for row in listed[:3]] == [
            f"{name}:{line}" for line in (2, 9, 10)
        ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("-", "--kind", "goal"),
        ("https://example.org/a", "--kind", "task"),
        ("https://example.org/a", "--session", "talk"),
        ("logs", "--session", "talk"),
        ("logs", "--session", "stdin"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    quipu: Quipu, home: Path, arguments: tuple[str, ...]
) -> None:
    (home / "logs").mkdir()
    (home / "logs" / "a.jsonl").write_text(LINES)
    done = quipu("ingest", *arguments, stdin=LINES)
    assert done.code == 2
    assert "leave it out" in done.err
    assert quipu("jobs").out.strip() == "Nothing."
