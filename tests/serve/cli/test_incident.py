"""`quipu incident …` as a person uses it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.rows import rows

SLOW = {"latency_p99": 900, "cpu_util": 0.97, "memory_util": 0.95}


@pytest.fixture
def told(quipu: Any, tmp_path: Path) -> str:
    """A memory with two incidents; the id of the first."""
    records = [
        {
            "component": "ledger",
            "timestamp": "2026-02-01T10:00:00Z",
            "metrics": SLOW,
            "title": "Pool exhausted",
            "root_cause": "too few connections",
        },
        {
            "component": "payments",
            "timestamp": "2026-02-01T10:10:00Z",
            "metrics": {"error_rate": 0.4},
            "upstream_deps": ["ledger"],
        },
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert quipu("init").code == 0
    added = quipu("incident", "add", "in.jsonl", "--json")
    assert added.code == 0, added.err
    return str(added.document["added"][0])


def test_what_was_left_out_is_told_with_exit_code_1(quipu: Any, told: str) -> None:
    bad = quipu("incident", "add", "-", stdin=json.dumps({"component": "A B"}))
    assert bad.code == 1
    assert "component 'A B' is not a name" in " ".join(bad.out.split())


def test_an_outcome_is_recorded_and_found_with_what_is_similar(quipu: Any, told: str) -> None:
    words = "--worked --minutes 12 --recorded-at 2026-02-01T10:12:00Z"
    made = quipu("incident", "outcome", told, "scale_out", *words.split())
    assert made.code == 0, made.err
    assert made.out == "scale_out worked  in 12 min\n"
    words = "--component ledger --latency-p99 950 --cpu-util .96 --memory-util .96 --title"
    found = quipu("incident", "similar", *words.split(), "pool is full")
    assert found.code == 0, found.err
    assert found.out.startswith("ledger  CRITICAL  2026-02-01T10:00")
    assert "cause: too few connections" in found.out
    assert "tried: scale_out worked  in 12 min" in found.out


def test_advice_names_its_policies_and_that_it_is_advice(quipu: Any, told: str) -> None:
    advice = quipu("incident", "recommend", told, "--as-of", "2026-02-01T10:05:00Z")
    assert advice.code == 0, advice.err
    assert "advice only, nothing is run" in advice.out
    assert "restart_container  (high_latency_restart)" in advice.out
    assert "resource_exhaustion_scale: cpu_util > 0.9, memory_util > 0.9" in advice.out


@pytest.mark.parametrize(
    ("words", "said"),
    rows(__file__, "mistakes_about_incidents"),
)
def test_mistakes_are_told(quipu: Any, told: str, words: tuple[str, ...], said: str) -> None:
    outcome = quipu("incident", *words)
    assert outcome.code == 2
    assert said in outcome.err


def test_the_life_of_incidents_in_words(project: Path, quipu) -> None:
    record = {
        "component": "db",
        "timestamp": "2026-02-01T10:00:00Z",
        "severity": "high",
        "title": "the disk is full",
    }
    (project / "one.json").write_text(json.dumps(record))
    quipu("incident", "add", "one.json")
    assert "the disk is full · open" in quipu("incident", "list", "--open").out
    named = json.loads(quipu("incident", "list", "--json").out)["incidents"][0]["incident_id"]
    done = quipu("incident", "resolve", named, "clean_up_disk", "--at", "2026-02-01T10:30:00Z")
    assert "in 30 min" in done.out
    assert "state: resolved\nminutes: 30" in quipu("incident", "show", named).out
    assert "clean_up_disk" in quipu("incident", "show", named).out
    assert "median minutes 30" in quipu("incident", "summary").out
    assert quipu("incident", "list", "--open").out == "total: 0\n"
    assert quipu("incident", "show", "inc_none").code == 2


def test_a_command_that_went_runs_its_heir_with_a_warning(quipu: Any, told: str) -> None:
    shown, earlier = quipu("incident", "show", told), quipu("incident", "timeline", told)
    assert (earlier.code, earlier.out) == (0, shown.out)
    assert "use `quipu incident show`" in earlier.err
    replayed = quipu("incident", "replay", "--known", "told")
    assert (replayed.code, "--known counts for nothing" in replayed.err) == (0, True)
    asked = quipu("plan", "--json", "incident", "timeline")
    assert (asked.document["question"], asked.err) == ("incident timeline", "")
