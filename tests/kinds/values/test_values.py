"""Derived numbers show their working, say when they no longer hold, and name what is off."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from quipu.answer.examine import violations
from quipu.errors import InvalidInput, UnknownRecord
from quipu.kinds.values.read import fenced
from quipu.memory import Memory


def _run(script: str, hours: float, day: int = 1) -> dict[str, Any]:
    return {
        "timestamp": f"2026-02-{day:02d}T08:00:00Z",
        "script": script,
        "reclaimed_hours": hours,
    }


OWN = (
    "#!/bin/sh\n# ---\n# value_quantification:\n#   vq_class: 🔴 HV/HQ\n#   impact_tier: tier-1\n"
    "#   potential_savings_hours: 2.5\n# ---\necho hi\n"
)
FOLDER = (
    "value_quantification:\n  vq_class: LV/LQ\n  impact_tier: low\n  potential_savings_hours: .5\n"
)
LEDGER = {
    "total_reclaimed_hours": 6.1,
    "history": [
        _run("bin/own.sh", 2.5),
        _run("bin/own.sh", 2.5, 2),
        _run("tools/a.py", 0.5),
        _run("tools/b.py", 0.5, 3),
        _run("lone.sh", 0.1),
    ],
}
FILES = {
    "bin/own.sh": OWN,
    "tools/metadata.yaml": FOLDER,
    "tools/a.py": "print()\n",
    "value_ledger.json": json.dumps(LEDGER),
}
Tree = Callable[[dict[str, str | bytes]], None]


def test_the_total_is_runs_times_hours_and_shows_its_inputs(memory: Memory, tree: Tree) -> None:
    tree(dict(FILES))
    found = memory.values.derive()
    assert found.total == 6.1  # 2 × 2.5 + 2 × .5 + .1
    assert found.adds_up
    assert found.errors == ()
    shown = memory.values.explain(found.fact_id)
    assert shown.holds
    assert shown.recomputed == 6.1
    hours = {each.name: (each.now or {})["hours"] for each in shown.inputs}
    assert hours == {"bin/own.sh": 2.5, "tools/a.py": 0.5, "tools/b.py": 0.5, "lone.sh": 0.1}
    sources = {each.name: (each.now or {})["hours_from"] for each in shown.inputs}
    assert sources["tools/b.py"] == "tools/metadata.yaml"
    assert sources["lone.sh"] == "the default 0.1"
    held = memory.store.get([i for each in shown.inputs for i in each.record_ids])
    assert len(held) == 6  # four runs and two tags
    assert memory.validate().errors == ()


TAG = (
    "id: SCRIPT-0013\ntype: script\nvalue_quantification:\n  vq_class: 🔴 HV/HQ\n"
    "  impact_tier: tier-1\n  potential_savings_hours: {hours}\n"
)
PLATFORM = {
    "scripts/format_docs.py": f'# Rules\n"""\n---\n{TAG.format(hours=1.5)}---\n"""\n\nx = 1\n',
    "scripts/sync.sh": "#!/bin/sh\n# ---\n"
    + "".join(f"# {line}\n" for line in TAG.format(hours=1).splitlines())
    + "# ---\necho hi\n",
    "scripts/policy/metadata.yaml": FOLDER.replace(".5", "0.4"),
    "scripts/policy/check.py": "print()\n",
    "scripts/lone.py": "print()\n",
    ".goldenpath/value_ledger.json": json.dumps(
        {
            "total_reclaimed_hours": 4.5,
            "history": [
                _run("format_docs.py", 1.5),
                _run("format_docs.py", 1.5, 2),
                _run("sync.sh", 1.0, 3),
                _run("policy/check.py", 0.4, 4),
                _run("scripts/lone.py", 0.1, 5),
            ],
        }
    ),
}


@pytest.mark.parametrize("folder", ["", ".goldenpath"])
def test_a_platform_repository_gives_its_hours(memory: Memory, tree: Tree, folder: str) -> None:
    """The ledger in `.goldenpath/`, names relative to `scripts/`, tags in docstrings and comments
    and of folders."""
    tree(dict(PLATFORM))
    found = memory.values.derive(memory.home.folder / folder)
    assert (found.total, found.adds_up) == (4.5, True)
    assert (found.errors, found.warnings) == ((), ())
    hours = {e.name: (e.now or {})["hours"] for e in memory.values.explain(found.fact_id).inputs}
    assert hours == {
        "format_docs.py": 1.5,
        "sync.sh": 1.0,
        "policy/check.py": 0.4,
        "scripts/lone.py": 0.1,
    }


@pytest.mark.parametrize(
    "mark", ["", "# ", "#", "// ", "-- ", "--", ";; ", " * ", "    ", "% ", "' ", "rem "]
)
def test_front_matter_is_read_behind_any_comment_mark(mark: str) -> None:
    body = TAG.format(hours=2.5)
    lines = ["", "---", *body.splitlines(), "", "---", "rest"]
    text = "\n".join(f"{mark}{line}".rstrip() for line in lines)
    assert yaml.safe_load(fenced(f"first\n{text}\n") or "") == yaml.safe_load(body)


@pytest.mark.parametrize("text", ["", "---\n", "# ---\na: 1\n---\n", "-----\na\n-----\n", "--- x"])
def test_what_is_no_front_matter_is_none(text: str) -> None:
    assert fenced(text) is None


def test_the_same_files_again_change_nothing(memory: Memory, tree: Tree) -> None:
    tree(dict(FILES))
    first = memory.values.derive()
    before = memory.store.sequence()
    assert memory.values.derive() == first
    assert memory.store.sequence() == before


def test_a_number_whose_input_is_gone_no_longer_holds(memory: Memory, tree: Tree) -> None:
    tree(dict(FILES))
    found = memory.values.derive()
    memory.forget("bin/own.sh#value")
    shown = memory.values.explain(found.fact_id)
    assert not shown.holds
    assert (shown.output, shown.recomputed) == (6.1, 1.3)
    told = " ".join(shown.notes)
    assert "'bin/own.sh' changed" in told
    assert "no longer holds" in told


def test_new_runs_give_a_new_total_under_the_same_id(memory: Memory, tree: Tree) -> None:
    tree(dict(FILES))
    first = memory.values.derive()
    more = {**LEDGER, "total_reclaimed_hours": 6.2}
    more["history"] = [*LEDGER["history"], _run("lone.sh", 0.1, 9)]  # type: ignore[misc]
    tree({"value_ledger.json": json.dumps(more)})
    again = memory.values.derive()
    assert again.fact_id == first.fact_id
    assert again.total == 6.2
    assert memory.values.explain(again.fact_id).holds
    assert len(memory.store.facts("value_ledger.json")) == 1


@pytest.mark.parametrize(
    ("ledger", "said"),
    [
        ({**LEDGER, "total_reclaimed_hours": 100}, "a difference of 93.9"),
        (
            {"total_reclaimed_hours": 9, "history": [_run("bin/own.sh", 9)]},
            "1 runs × 2.5 hours are 2.5, the ledger has 9",
        ),
    ],
)
def test_a_ledger_that_does_not_add_up_is_told(
    memory: Memory, tree: Tree, ledger: dict[str, Any], said: str
) -> None:
    tree({**FILES, "value_ledger.json": json.dumps(ledger)})
    found = memory.values.derive()
    assert not found.adds_up
    assert said in " ".join(found.notes)


def test_heartbeats_are_counted_against_the_runs(memory: Memory, tree: Tree) -> None:
    beats = '{"script": "bin/own.sh"}\n{"script": "bin/own.sh", "success": false}\nnot json\n'
    tree({**FILES, "value_heartbeats.jsonl": beats})
    found = memory.values.derive()
    assert "bin/own.sh: 1 heartbeats, 2 runs in the ledger" in found.notes
    assert "value_heartbeats.jsonl:3" in {row.path for row in found.errors}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (_run("a.sh", -1), "'reclaimed_hours': -1"),
        ({**_run("a.sh", 1), "reclaimed_hours": "1"}, "'reclaimed_hours': '1'"),
        ({**_run("a.sh", 1), "timestamp": "soon"}, "'soon' is not a date"),
        ({**_run("a.sh", 1), "script": ""}, "'script': ''"),
        (5, "5 cannot be used (Expected `object`"),
    ],
)
def test_a_bad_row_is_named_and_the_rest_counts(
    memory: Memory, tree: Tree, row: Any, said: str
) -> None:
    ledger = {"total_reclaimed_hours": 0.1, "history": [row, _run("lone.sh", 0.1)]}
    tree({"value_ledger.json": json.dumps(ledger)})
    found = memory.values.derive()
    assert found.total == 0.1
    assert said in found.errors[0].error
    assert "history[1]" in found.errors[0].path


def test_only_computed_facts_are_explained(memory: Memory) -> None:
    memory.add("I live in Oslo.")
    with pytest.raises(UnknownRecord, match="'fa_nothing'"):
        memory.values.explain("fa_nothing")
    (fact, *_) = memory.store.facts()
    with pytest.raises(InvalidInput, match="was stated, not computed"):
        memory.values.explain(fact.fact_id)


def test_an_answer_about_it_cites_records_and_the_files(memory: Memory, tree: Tree) -> None:
    tree(dict(FILES))
    memory.values.derive()
    reply = memory.ask("What are the total reclaimed hours of value_ledger.json?")
    assert "6.1" in reply.contract.answer
    evidence = reply.contract.evidence[0]
    assert evidence.graph_ids
    assert evidence.file_paths[0].startswith("value_ledger.json")


@pytest.mark.parametrize(
    ("question", "said", "path"),
    [
        ("How many hours did format_docs.py save?", "are 3: 2 runs ×", "scripts/format_docs.py"),
        ("What did policy/check.py save?", "are 0.4", "scripts/policy/metadata.yaml"),
        ("What is the vq_class of format_docs.py?", "is HV/HQ", "scripts/format_docs.py"),
        ("When was sync.sh last run?", "is 2026-02-03", ".goldenpath/value_ledger.json"),
        ("What are the total reclaimed hours?", "are 4.5", ".goldenpath/value_ledger.json"),
    ],
)
def test_a_question_for_a_value_is_answered_from_the_records(
    memory: Memory, tree: Tree, question: str, said: str, path: str
) -> None:
    tree(dict(PLATFORM))
    memory.index()
    memory.values.derive()
    reply = memory.ask(question)
    assert said in reply.contract.answer
    assert path in {p.partition("#")[0] for e in reply.contract.evidence for p in e.file_paths}
    assert violations(reply, memory.store) == []


@pytest.mark.parametrize(
    "question",
    [
        "Who is responsible for the reclaimed hours?",
        "Why were the total reclaimed hours counted?",
        "What does sync.sh do?",
        "What is the vq_class of scripts/lone.py?",
    ],
)
def test_any_other_question_gets_nothing_from_the_derivation(
    memory: Memory, tree: Tree, question: str
) -> None:
    tree(dict(PLATFORM))
    memory.index()
    memory.values.derive()
    contract = memory.ask(question).contract
    assert not {p for e in contract.evidence for p in e.file_paths if "#" in p}
    assert "reclaimed hours of" not in contract.answer


def test_what_no_file_is_called_and_no_yaml_says_costs_only_its_tag(
    memory: Memory, tree: Tree
) -> None:
    odd = ["a\0b", "x" * 5_000, "odd.sh"]
    tag = "# ---\n# value_quantification: !!bool x\n# ---\n"
    ledger = {"history": [*LEDGER["history"], *(_run(name, 1.0) for name in odd)]}
    tree({**FILES, "odd.sh": tag, "value_ledger.json": json.dumps(ledger)})
    found = memory.values.derive()
    assert "odd.sh" in str(found)
    assert found.total == 6.4  # 6.1 + 3 × .1
