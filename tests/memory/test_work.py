"""Goals and tasks in a memory: what was true when, how they hang together, what is asked."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.memory import Memory
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.records.record import Entity
from quipu.records.scope import Scope
from quipu.write.jobs import Job

PLAN = {
    "goals": [
        {"id": 1, "title": "Ship the beta", "owner": "Ann"},
        {"id": 3, "title": "Leave the old database", "parent": 1, "due": "2026-06-01"},
    ],
    "tasks": [
        {
            "id": 12,
            "title": "Write the parser",
            "goal": 3,
            "status": "done",
            "owner": "Bo",
            "created_at": "2026-01-01",
            "started_at": "2026-01-03",
            "completed_at": "2026-01-10",
            "description": "It reads `parse.md`; see session:planning-1#4.",
        },
        {
            "id": 13,
            "title": "Copy the rows",
            "goal": "goal-3",
            "status": "open",
            "created_at": "2026-01-02",
            "blocked_by": ["task-7"],
            "depends_on": 12,
        },
        {"id": 7, "title": "Rent a machine", "status": "in progress"},
        {"id": 8, "title": "Old talk", "status": "done", "blocks": "goal-3"},
    ],
}


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


def test_the_same_again_writes_nothing(memory: Memory) -> None:
    first = write(memory, PLAN)
    before = memory.store.sequence()
    again = write(memory, PLAN, at=1_769_000_000)
    assert memory.store.sequence() == before
    assert (again.added, again.unchanged) == (0, 6)
    assert first.added > 6


def test_a_record_that_is_older_than_its_dates_can_be_written_again(memory: Memory) -> None:
    task = {"kind": "task", "id": 1, "title": "Pay", "status": "done", "created_at": "2026-02-20"}
    write(memory, {"tasks": [task]})
    held = states(memory, "task-1")
    assert held[-1][0] == "done"
    assert write(memory, {"tasks": [task]}).added == 0
    assert states(memory, "task-1") == held


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
    assert [e.fact.object for e in memory.history("task-5", as_of="2026-01-15").entries] == ["open"]
    assert "open" in ask(memory, "What was the status of task-5 on 15 January 2026?")
    assert ask(memory, "What is the status of task-5?").startswith("Status of task-5: done")


@pytest.mark.parametrize("identity", [5, 6])  # ids break ties: one of them could be lucky
@pytest.mark.parametrize("begun", ["2026-02-02T08:00:00Z", "2026-03-02T08:00:00Z"])
def test_a_status_that_changed_today_is_the_later_one(
    tmp_path: Path, open_memory: Callable[..., Memory], begun: str, identity: int
) -> None:
    task = {"kind": "task", "id": identity, "title": "Move the bus"}
    with open_memory(tmp_path / "m.db", tmp_path, clock=lambda: "2026-03-02T12:00:00.000Z") as day:
        day.ingest_work([{**task, "status": "open"}], observed_at=begun)
        day.ingest_work([{**task, "status": "done"}], observed_at="2026-03-02T10:00:00Z")
        for question in ("What is the status of task-{}?", "What is the status of task-{} now?"):
            found = day.find_facts(question.format(identity))
            assert found.known
            assert found.matches[0].standing.fact.object == "done"
            assert "done" in ask(day, question.format(identity))
        before = day.find_facts(f"What is the status of task-{identity}?", now="2026-03-02T09:00Z")
        assert before.matches[0].standing.fact.object == "open"


def test_an_older_record_does_not_take_the_place_of_a_later_one(memory: Memory) -> None:
    task = {
        "kind": "task",
        "id": 5,
        "title": "Try it",
        "status": "done",
        "updated_at": "2026-02-05",
    }
    write(memory, task)
    old = {**task, "status": "open", "title": "Try", "updated_at": "2026-02-01"}
    job = write(memory, old, name="old.json")
    assert (job.added, job.unchanged) == (0, 1)
    assert [value for value, _ in states(memory, "task-5")] == ["done"]


@pytest.mark.parametrize("apart", [True, False])
def test_an_id_in_other_capitals_is_the_same_work(memory: Memory, *, apart: bool) -> None:
    first = {
        "kind": "task",
        "id": "ABC1",
        "title": "Try it",
        "status": "open",
        "created_at": "2026-01-01",
    }
    second = {
        "kind": "task",
        "id": "abc1",
        "title": "Try it",
        "status": "done",
        "status_since": "2026-01-05",
    }
    if apart:
        write(memory, first)
        write(memory, second, name="second.json")
    else:
        write(memory, [first, second])
    assert states(memory, "task-ABC1") == [("open", "2026-01-01"), ("done", "2026-01-05")]
    live = memory.facts(predicate="status", as_of="2026-02-01")
    assert [(f.subject, f.object) for f in live] == [("task-ABC1", "done")]
    again = write(memory, {**second, "id": "Abc1"}, name="third.json")
    assert (again.added, again.unchanged) == (0, 1)


def test_a_parent_that_comes_later_is_tied_when_it_comes(memory: Memory) -> None:
    write(memory, {"kind": "task", "id": 1, "title": "Begin", "goal": 9})
    assert memory.relations("task-1", type="has_task") == []
    assert memory.validate().errors == ()
    write(memory, {"kind": "goal", "id": 9, "title": "Arrive"}, name="goal.json")
    assert tied(memory, "task-1", "has_task") == {("goal-9", "task-1")}


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


def test_bad_records_are_named_and_the_others_go_in(memory: Memory) -> None:
    job = write(
        memory, {"tasks": [{"id": "a b", "title": "T"}, {"id": 2, "title": "U", "due": "x"}]}
    )
    assert [row.path for row in job.errors] == ["plan.json#tasks.1", "plan.json#tasks.2"]
    assert "id 'a b'" in job.errors[0].error
    assert "due: 'x'" in job.errors[1].error
    assert isinstance(memory.get("task-2"), Entity)


@pytest.mark.parametrize(
    ("question", "said", "cited"),
    [
        ("What is blocking goal-3?", "`task-7` (Rent a machine) blocks `task-13`", "task:13"),
        ("What blocks task-13?", "`task-7` (Rent a machine) blocks `task-13`", "task:13"),
        ("Which tasks does goal-3 have?", "`task-12` (Write the parser) and `task-13`", "task:12"),
        ("Which goal is task-12 part of?", "`goal-3` (Leave the old database)", "task:12"),
        ("What does task-13 depend on?", "depends on `task-12`", "task:13"),
        ("Who owns task-12?", "is owned by Bo", "task:12"),
        ("When is goal-3 due?", "2026-06-01", "goal:3"),
        (
            "What was the status of task-12 on 5 January?",
            "in progress",
            "task:12#status@2026-01-03",
        ),
    ],
)
def test_questions_are_answered_with_citations(
    memory: Memory, question: str, said: str, cited: str
) -> None:
    write(memory, PLAN)
    reply = memory.ask(question)
    assert said in reply.contract.answer
    assert cited in {c.path for c in reply.citations}


def test_work_that_is_not_there_is_unknown(memory: Memory) -> None:
    write(memory, PLAN)
    assert ask(memory, "What is the status of task-99?") == "unknown"


def test_items_of_an_agent_are_goals_and_tasks(memory: Memory) -> None:
    items = [
        IngestItem(text="Ship it", id="1", kind="goal"),
        IngestItem(
            text="Test it", id="task-2", kind="task", metadata={"goal": 1, "status": "open"}
        ),
        IngestItem(text="x", id="", kind="task"),
    ]
    done = ingest_items(memory, items)
    assert done.source_refs == ("goal:1", "task:2")
    assert len(done.warnings) == 1
    assert done.warnings[0].startswith("item 3: id '' is no id of a task")
    assert tied(memory, "goal-1", "has_task") == {("goal-1", "task-2")}
    assert memory.job(done.run_id).kind == "work"
    assert ingest_items(memory, items[:2]).unchanged == 2


def test_a_folder_holds_work_and_transcripts(memory: Memory) -> None:
    folder = memory.home.folder / "kept"
    folder.mkdir()
    (folder / "todo.md").write_text("- [ ] Write more\n")
    (folder / "talk.jsonl").write_text(json.dumps({"speaker": "Ann", "text": "Hello there, Bo."}))
    job = memory.ingest(folder)
    assert job.errors == ()
    assert {s.source_type for s in memory.store.sources()} >= {"task", "session"}
    assert isinstance(memory.get("task-todo-write-more"), Entity)


def test_only_what_the_scope_lets_be_seen_is_cited(memory: Memory) -> None:
    write(memory, PLAN)
    goals = Scope(source_types=frozenset({"goal"}))
    tasks = Scope(source_types=frozenset({"task"}))
    for question in (
        "What is blocking goal-3?",
        "Which tasks does goal-3 have?",
        "Who owns task-12?",
        "When is goal-3 due?",
        "What is the status of task-12?",
    ):
        for scope, kind in ((goals, "goal"), (tasks, "task")):
            paths = [c.path for c in memory.ask(question, scope=scope).citations]
            assert all(path.startswith(f"{kind}:") for path in paths), (question, paths)
    assert "task-7" in memory.ask("What blocks task-13?", scope=tasks).contract.answer


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


def test_a_long_list_is_bounded_and_stays_inside_the_scope(memory: Memory) -> None:
    tasks = [{"id": n, "title": f"Part {n}", "status": "open"} for n in range(1, 31)]
    write(memory, {"tasks": tasks, "goals": [{"id": 1, "title": "All", "status": "open"}]})
    reply = memory.ask("Which tasks are open?")
    assert "and 22 more are open" in reply.contract.answer
    assert len(reply.citations) == 8
    goals = memory.ask("What is open?", scope=Scope(source_types=frozenset({"goal"})))
    assert goals.contract.answer.startswith("`goal-1` (All) is open")


def test_a_question_of_something_else_is_none_of_work(memory: Memory) -> None:
    page = memory.home.folder / "shop.md"
    page.write_text("# The shop\n\nThe bakery of Ann Lee is open from nine to five.\n")
    memory.index(page)
    before = ask(memory, "What is open on the bakery of Ann Lee?")
    assert "nine" in before
    write(memory, {"kind": "task", "id": 5, "title": "Try it", "owner": "Bo"})
    assert ask(memory, "What is open on the bakery of Ann Lee?") == before
