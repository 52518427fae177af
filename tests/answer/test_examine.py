"""The evidence of a contract is looked up: what is not there, or not so, is named."""

import hashlib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from tests.rows import rows

from quipu.memory import Memory

Tree = Callable[[dict[str, str | bytes]], None]
TEAM = "# Ledger\n\nTeam Blue owns the ledger.\n\nIt settles   every\nnight.\n"
LOG = "Settled on Monday.\n"


def _item(contract: dict[str, Any]) -> dict[str, Any]:
    return contract["evidence"][0]


@pytest.fixture
def contract(memory: Memory, tree: Tree) -> dict[str, Any]:
    """A sound contract over what is indexed; `left.log` lies in the folder only."""
    tree({"docs/ledger.md": TEAM, "left.log": LOG, ".quipuignore": "left.log\n"})
    memory.index()
    entity = memory.get("docs/ledger.md")
    return {
        "answer": "Team Blue owns the ledger [1].",
        "evidence": [
            {
                "graph_ids": [entity.entity_id],  # type: ignore[union-attr]
                "file_paths": ["docs/ledger.md"],
                "excerpt": "Team Blue owns the ledger. It settles every night.",
                "source_sha": entity.source_sha,  # type: ignore[union-attr]
            }
        ],
        "timestamp": "2026-03-01T10:00:00Z",
        "limitations": "",
        "next_step": "",
    }


def test_a_sound_contract_holds_alone_and_in_its_envelope(
    memory: Memory, contract: dict[str, Any]
) -> None:
    assert memory.check_contract(contract).ok
    assert memory.check_contract({"contract": contract, "hits": []}).ok


def test_a_file_that_is_only_in_the_folder_is_evidence_too(
    memory: Memory, contract: dict[str, Any]
) -> None:
    sha = hashlib.sha256(LOG.encode()).hexdigest()
    _item(contract).update(file_paths=["left.log"], excerpt="Settled on Monday.", source_sha=sha)
    contract["answer"] = "Settled on Monday [1]."
    assert memory.check_contract(contract).ok


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"file_paths": ["docs/gone.md"]}, "'docs/gone.md' is neither a source of the memory nor"),
        ({"file_paths": ["docs/ledger.md", "x"]}, "'x' is neither"),
        ({"file_paths": ["../../outside.md"]}, "is neither"),
        ({"file_paths": ["/etc/passwd"]}, "is neither"),
        ({"file_paths": ["a\0b"]}, "is neither"),
        ({"excerpt": "Team Red owns the ledger."}, "the excerpt 'Team Red owns the ledger.' does"),
        ({"excerpt": "every night. … Team Blue"}, "does not stand in 'docs/ledger.md'"),
        ({"excerpt": "…"}, "does not stand in"),
        ({"source_sha": "0" * 40}, "is not that of 'docs/ledger.md' now"),
        ({"file_paths": ["left.log"]}, "is not that of 'left.log' now"),
        ({"graph_ids": ["en_invented"]}, "the graph has no live record 'en_invented'"),
    ],
)
def test_what_is_not_there_is_named(
    memory: Memory, contract: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    changed = deepcopy(contract)
    _item(changed).update(change)
    found = memory.check_contract(changed)
    assert not found.ok
    assert not found.evidence[0].ok
    assert said in " ".join(found.evidence[0].errors)


def test_a_source_that_changed_since_no_longer_bears_it(
    memory: Memory, tree: Tree, contract: dict[str, Any]
) -> None:
    tree({"docs/ledger.md": TEAM.replace("Blue", "Green")})
    memory.index()
    told = " ".join(memory.check_contract(contract).evidence[0].errors)
    assert "is not that of" in told
    assert "does not stand in" in told


@pytest.mark.parametrize("data", [{}, {"contract": 5}, {"evidence": 5}, {"evidence": [5]}])
def test_what_is_no_contract_is_told_as_such(memory: Memory, data: dict[str, Any]) -> None:
    found = memory.check_contract(data)
    assert not found.ok
    assert "schema" in " ".join(found.errors)


def test_what_ask_answers_holds(memory: Memory, contract: dict[str, Any]) -> None:
    assert contract
    reply = memory.ask("Who owns the ledger?")
    assert memory.check_contract(reply.as_json()).ok


@pytest.mark.parametrize(
    ("answer", "found"),
    rows(__file__, "a_sentence_is_compared_with_what_it_cites"),
)
def test_a_sentence_is_compared_with_what_it_cites(
    memory: Memory, contract: dict[str, Any], answer: str, found: str
) -> None:
    told = memory.check_contract({**contract, "answer": answer})
    assert [each.found for each in told.sentences] == [found]
    assert told.sentences[0].marks == (1,)
    assert told.ok is (found != "not found")
    assert told.evidence[0].ok


def test_a_block_of_code_is_compared_line_by_line(memory: Memory, tree: Tree) -> None:
    tree({"run.js": "function run() {\n  log(`Got ${n}`)\n  stop()\n}\n"})
    memory.index()
    entity = memory.get("run.js")
    for code, ok in (("log(`Got ${n}`)\nstop()", True), ("log(`Got ${n}`)\nstart()", False)):
        evidence = [{"graph_ids": [entity.entity_id], "file_paths": ["run.js"]}]  # type: ignore[union-attr]
        told = memory.check_contract(
            {
                "answer": f"```\n{code}\n```\n[1]",
                "evidence": evidence,
                "timestamp": "2026-03-01T10:00:00Z",
                "limitations": "",
                "next_step": "",
            }
        )
        assert told.ok is ok


def test_what_a_record_states_is_told_apart(memory: Memory, tree: Tree) -> None:
    tree({"CODEOWNERS": "/pay.py @team-pay\n", "pay.py": "def pay():\n    return 1\n"})
    memory.index()
    reply = memory.ask("Who owns pay.py?")
    assert [each.found for each in memory.check_contract(reply.as_json()).sentences] == ["recorded"]
    other = reply.contract.answer.replace("@team-pay", "@team-ops")
    told = memory.check_contract({**reply.as_json()["contract"], "answer": other})  # type: ignore[dict-item]
    assert not told.ok
