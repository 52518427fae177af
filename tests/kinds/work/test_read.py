"""Goals and tasks as people write them: every form gives records, every mistake is named."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.errors import InvalidInput
from quipu.kinds.work.model import End, WorkItem, WorkRelation, is_closed, work_id
from quipu.kinds.work.read import WorkRead, read_record, read_work
from quipu.records.mentions import names_in
from quipu.records.schema import RelationType

SEEN = "2026-06-01T08:00:00.000Z"
DATED = {"created_at": "2026-05-01", "started_at": "2026-05-03", "completed_at": "2026-05-10"}


def record(**held: Any) -> WorkRead:
    return read_record({"kind": "task", "id": 12, "title": "Write it", **held}, at="f#1", seen=SEEN)


def read(path: str, data: bytes, **given: Any) -> WorkRead:
    found = read_work(path, data, seen=SEEN, **given)
    assert found is not None
    return found


def item(**held: Any) -> WorkItem:
    read = record(**held)
    assert [p.error for p in read.problems] == []
    return read.items[0]


def statuses(given: WorkItem) -> list[tuple[str, str]]:
    return [(s.value, s.since) for s in given.states if s.predicate == "status"]


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({"status": "open"}, [("open", SEEN)]),
        ({"status": "open", "created_at": "2026-05-01"}, [("open", "2026-05-01")]),
        (
            {"status": "review", "updated_at": "2026-05-04"},
            [("review", "2026-05-04T00:00:00.000Z")],
        ),
        ({"status": "review", "status_since": "2026-05-04"}, [("review", "2026-05-04")]),
        (
            {"status": "done", **DATED},
            [("open", "2026-05-01"), ("in progress", "2026-05-03"), ("done", "2026-05-10")],
        ),
        (
            {"history": [{"status": "b", "at": "2026-05-02"}, {"status": "a", "at": "2026-05-01"}]},
            [("a", "2026-05-01"), ("b", "2026-05-02")],
        ),
        ({}, []),
    ],
)
def test_a_status_begins_when_the_record_says(
    held: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert statuses(item(**held)) == expected


@pytest.mark.parametrize(
    ("held", "told"),
    rows(__file__, "a_field_is_a_relation"),
)
def test_a_field_is_a_relation(held: dict[str, Any], told: str) -> None:
    found = [(r.type, r.end.kind, r.end.name, r.inward) for r in item(**held).relations]
    type_, kind, name, *inward = told.split()
    assert found == [(type_, kind, name, bool(inward))]


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"id": None}, "id None is no id of a task"),
        ({"id": True}, "id True is no id of a task"),
        ({"id": "a b"}, "id 'a b' is no id"),
        ({"title": "  "}, "title '  ' is blank"),
        ({"kind": "epic"}, "kind 'epic' is unknown"),
    ],
)
def test_a_record_that_cannot_be_kept_is_named(held: dict[str, Any], said: str) -> None:
    read = record(**held)
    assert read.items == ()
    assert [said in p.error for p in read.problems] == [True]
    assert read.problems[0].path == "f#1"


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"due": "2026-02-30"}, "due: '2026-02-30' is no day of the calendar"),
        ({"updated_at": "soon"}, "updated_at: 'soon' is not a date"),
        ({"created_at": "soon"}, "created_at: 'soon' is not a date"),
        ({"status": ["open"]}, "status: ['open'] is no text"),
        ({"blocks": [{}]}, "blocks {} is no id"),
        ({"commits": ["xyz"]}, "commits 'xyz' is no commit"),
        ({"history": [{"status": "open"}]}, "history {'status': 'open'} says no status and date"),
    ],
)
def test_a_bad_field_is_named_and_the_rest_goes_in(held: dict[str, Any], said: str) -> None:
    read = record(**held)
    assert [i.name for i in read.items] == ["task-12"]
    assert [p.error.partition(": ")[2].startswith(said) for p in read.problems] == [True]
    assert read.problems[0].severity == "error"


def test_nested_records_are_records() -> None:
    held = {
        "kind": "goal",
        "id": 1,
        "title": "Ship",
        "tasks": [{"id": 2, "title": "Test", "subtasks": [{"id": 3, "title": "More"}]}, 4],
    }
    read = read_record(held, at="f", seen=SEEN)
    assert [i.name for i in read.items] == ["goal-1", "task-2", "task-3"]
    assert [t.end.name for t in read.items[0].relations] == ["2", "4"]
    assert read.items[1].relations == (WorkRelation(RelationType.HAS_SUBTASK, End("task", "3")),)


def test_json_of_lists_of_lines_and_of_one_object_is_read() -> None:
    one = {"kind": "task", "id": 1, "title": "One"}
    two = {"kind": "goal", "id": 2, "title": "Two"}
    forms = [
        json.dumps([one, two]),
        f"{json.dumps(one)}\n\n{json.dumps(two)}\n",
        json.dumps({"tasks": [one], "goals": [two]}),
    ]
    for form in forms:
        found = read("plan.json", form.encode())
        assert sorted(i.name for i in found.items) == ["goal-2", "task-1"]


def test_a_broken_line_is_named_with_its_place() -> None:
    data = b'{"kind": "task", "id": 1, "title": "One"}\n{"kind": \n7\n'
    found = read("plan.jsonl", data)
    assert [p.path for p in found.problems] == ["plan.jsonl:2", "plan.jsonl:3"]
    assert len(found.items) == 1


def test_what_is_no_text_or_lies_too_deep_costs_only_its_record() -> None:
    deep = '{"a": ' * 600 + "1" + "}" * 600
    rows = [
        f'{{"kind": "task", "id": 1, "title": "One", "x": {deep}}}',
        '{"kind": "task", "id": 2, "title": "\\ud800", "x": NaN}',
        '{"kind": "task", "id": 3, "title": "Three", "x": NaN}',
    ]
    found = read("plan.jsonl", "\n".join(rows).encode())
    assert [p.path for p in found.problems] == ["plan.jsonl:1", "plan.jsonl:2"]
    assert [i.name for i in found.items] == ["task-3"]


NOTE = """---
type: goal
id: 3
status: active
due: 2026-07-01
---
# Leave the old database

It costs too much; see goal-1.
"""


def test_front_matter_and_the_text_below_are_one_record() -> None:
    (goal,) = read("goals/3.md", NOTE.encode()).items
    assert (goal.name, goal.title, goal.now("deadline")) == (
        "goal-3",
        "Leave the old database",
        "2026-07-01",
    )
    assert goal.description == "It costs too much; see goal-1."


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("x.md", NOTE, True),
        ("x.md", "- [ ] a task\n", False),
        ("x.jsonl", '{"type": "user", "message": {"content": "task"}}', False),
        ("x.json", '{"tasks": "none"}', False),
        ("x.py", NOTE, False),
    ],
)
def test_what_a_file_of_work_is(path: str, text: str, expected: bool) -> None:
    assert (read_work(path, text.encode(), seen=SEEN) is not None) is expected


def test_secrets_are_taken_out() -> None:
    secret = "ghp_" + "a1B2" * 10
    note = f"---\ntype: task\n---\n# Use {secret}\n".encode()
    assert secret not in str(read("a.md", note).items)
    row = json.dumps({"kind": "task", "id": 1, "title": "T", "description": f"token {secret}"})
    found = read("a.json", row.encode())
    assert secret not in str(found.items)
    for broken in (f'{{"kind": "task", "token": "{secret}"', f'["{secret}"]'):
        found = read("a.json", broken.encode(), kind="task")
        assert len(found.problems) == 1
        assert secret[:30] not in str(found.problems)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    "kind id title status due tasks history blocks owner parent".split()
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=12,
    )
)
def test_any_record_is_read_without_an_error(value: object) -> None:
    held = value if isinstance(value, dict) else {"title": value}
    read = read_record({"id": 1, **held}, at="f", seen=SEEN, kind="task")
    assert read.items or read.problems


def test_an_id_is_known_with_and_without_its_kind() -> None:
    assert [work_id("task", written) for written in (7, "task-7", "PROJ-7")] == ["7", "7", "PROJ-7"]
    with pytest.raises(InvalidInput, match=r"parent 1\.5 is no id"):
        work_id("task", 1.5, "parent")


def test_names_stand_alone_in_a_text() -> None:
    assert names_in("a task-force, the goal-line and task-free play") == []
    assert names_in("task-todo-write-the-parser, task-PROJ-7") == [
        "task-todo-write-the-parser",
        "task-PROJ-7",
    ]
    assert names_in("goal-3, Task-12: sub/task-9 and task-a.1.") == [
        "goal-3",
        "Task-12",
        "task-a.1",
    ]


@pytest.mark.parametrize(
    ("status", "over"),
    [("Done", True), ("won't-fix", True), ("cancelled", True), ("open", False), (None, False)],
)
def test_which_statuses_are_over(status: object, over: bool) -> None:
    assert is_closed(status) is over
