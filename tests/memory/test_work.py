"""Goals and tasks in a memory: what was true when, how they hang together, what is asked."""

import json
import os
from pathlib import Path

import pytest
from tests.rows import rows

from quipu.memory import Memory
from quipu.records.record import Entity
from quipu.write.jobs import Job

PLAN = json.loads((Path(__file__).parent / "data" / "plan.json").read_text("utf-8"))


def write(
    memory: Memory, given: object, *, name: str = "plan.json", at: int = 1_768_000_000
) -> Job:
    path = memory.home.folder / name
    path.write_text(given if isinstance(given, str) else json.dumps(given))
    os.utime(path, (at, at))
    return memory.ingest(path)


def tied(memory: Memory, of: str, kind: str) -> set[tuple[str, str]]:
    names = {r.entity_id: r.name for r in memory.store.scan("entity") if isinstance(r, Entity)}
    return {
        (names[r.source_entity_id], names[r.target_entity_id])
        for r in memory.relations(of, type=kind)
    }


def states(memory: Memory, name: str) -> list[tuple[str, str | None]]:
    return [(f.object, f.valid_from) for f in memory.facts(name, "status")]


def ask(memory: Memory, question: str) -> str:
    return memory.ask(question).contract.answer


def test_work_is_a_graph(memory: Memory) -> None:
    job = write(memory, PLAN)
    assert (job.status, job.errors) == ("done", ())
    assert tied(memory, "goal-3", "has_task") == {("goal-3", "task-12"), ("goal-3", "task-13")}
    assert tied(memory, "goal-3", "part_of") == {("goal-3", "goal-1")}
    assert tied(memory, "task-13", "blocks") == {("task-7", "task-13")}
    assert tied(memory, "task-13", "depends_on") == {("task-13", "task-12")}
    assert tied(memory, "task-12", "owned_by") == {("task-12", "Bo")}
    found = memory.validate()
    assert (found.errors, found.warnings) == ((), ())
    assert isinstance(memory.get("goal-3"), Entity)


def test_a_status_keeps_what_was_before(memory: Memory) -> None:
    task = {"kind": "task", "id": 5, "title": "Try it", "status": "open"}
    write(memory, task, at=1_768_000_000)
    write(memory, {**task, "status": "done"}, at=1_769_000_000)
    assert states(memory, "task-5") == [
        ("open", "2026-01-09T23:06:40.000Z"),
        ("done", "2026-01-21T12:53:20.000Z"),
    ]
    entity = memory.get("task-5")
    assert isinstance(entity, Entity)
    assert entity.properties["status"] == "done"
    then = memory.facts("task-5", "status", as_of="2026-01-15")
    assert [f.object for f in then] == ["open"]
    assert [f.object for f in memory.facts("task-5", as_of="2026-02")] == ["done"]
    assert [e.fact.object for e in memory.facts.history("task-5", as_of="2026-01-15").entries] == [
        "open"
    ]
    assert "open" in ask(memory, "What was the status of task-5 on 15 January 2026?")
    assert ask(memory, "What is the status of task-5?").startswith("Status of task-5: done")


def test_files_sessions_and_commits_are_tied_before_and_after_they_come(memory: Memory) -> None:
    write(
        memory,
        {
            "kind": "task",
            "id": 1,
            "title": "T",
            "files": "parse.md",
            "sessions": "s1",
            "commits": "a" * 40,
        },
    )
    assert memory.relations("task-1", type="modifies") == []
    (memory.home.folder / "parse.md").write_text("# Parsing\n\nHow to parse.\n")
    memory.index(memory.home.folder / "parse.md")
    memory.add([{"role": "user", "content": "Let us parse the file today."}], session_id="s1")
    assert tied(memory, "task-1", "modifies") == {("task-1", "Parsing")}
    (session,) = memory.relations("task-1", type="references")
    assert isinstance(memory.get(session.target_entity_id), Entity)


@pytest.mark.parametrize(
    ("question", "said", "cited"),
    rows(__file__, "questions_are_answered_with_citations"),
)
def test_questions_are_answered_with_citations(
    memory: Memory, question: str, said: str, cited: str
) -> None:
    write(memory, PLAN)
    reply = memory.ask(question)
    assert said in reply.contract.answer
    assert cited in {c.path for c in reply.citations}


OPEN = "`task-13` (Copy the rows) is open"
GOING = "`task-7` (Rent a machine) is in progress"
BOTH = "`task-12` (Write the parser) and `task-8` (Old talk) are done"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which tasks are open?", OPEN),
        ("which open tasks are there", OPEN),
        ("What is still open?", OPEN),
        ("List the open tasks", OPEN),
        ("Which tasks are in progress now?", GOING),
        ("What is in progress?", GOING),
        ("Which tasks are done?", BOTH),
        (
            "Which tasks are not done?",
            "`task-13` (Copy the rows) and `task-7` (Rent a machine) are",
        ),
        ("Which goals are done?", "unknown"),
        ("Which tasks are cancelled?", "unknown"),
    ],
)
def test_work_is_listed_by_the_status_it_has_now(memory: Memory, question: str, said: str) -> None:
    write(memory, PLAN)
    reply = memory.ask(question)
    assert reply.contract.answer.startswith(said)
    for each in reply.citations:
        assert each.path.startswith("task:")
        assert "#status@" in each.path
