"""`quipu entity …` as a person uses it."""

import shlex
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "a.md": "---\nowner: Pay Team\n---\n# Ledger\n\nThe ledger keeps the accounts.\n",
    "b.md": "---\nowner: PayTeam\n---\n# Billing\n\nBilling sends the invoices.\n",
}


@pytest.fixture
def team(quipu: Any, tmp_path: Path) -> Any:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert quipu("init").code == 0
    assert quipu("index").code == 0
    return quipu


def test_a_pair_is_proposed_merged_shown_and_parted(team: Any) -> None:
    listed = team("entity", "proposals")
    assert listed.code == 0, listed.err
    assert "the same letters" in listed.out
    assert "1 proposal among 2 things" in listed.out
    assert "Without an embedding model" in listed.out
    made = team("entity", "merge", "PayTeam", "Pay Team", "--by", "ada", "--reason", "one team")
    assert made.code == 0, made.err
    assert made.out.startswith("Pay Team  Owner  en_")
    assert "ada" in made.out
    shown = team("entity", "show", "PayTeam", "--json").document
    assert [each["name"] for each in shown["members"]] == ["Pay Team", "PayTeam"]
    assert shown["decisions"][0]["by"] == "ada"
    assert len(team("--json", "relation", "list", "PayTeam").document["relations"]) == 2
    assert "Pay Team" in team("get", "PayTeam").out
    done = team("entity", "unmerge", "PayTeam", "--by", "bob")
    assert done.code == 0, done.err
    told = team("entity", "history", "PayTeam", "--json").document["decisions"]
    assert [each["decision"]["same"] for each in told] == [True, False]
    assert "0 proposals among 2 things" in team("entity", "proposals").out


def test_the_command_of_a_proposal_can_be_run_as_it_is_printed(quipu: Any, tmp_path: Path) -> None:
    said = "# Moves\n\nDeploy Bot moved to Rome in 2025.\n\nThen Deploybot moved to Oslo in 2026.\n"
    (tmp_path / "moves.md").write_text(said)
    assert quipu("init").code == quipu("index").code == 0
    listed = quipu("entity", "proposals").out
    (printed,) = (line for line in listed.splitlines() if "quipu entity merge" in line)
    made = quipu(*shlex.split(printed)[1:])
    assert made.code == 0, made.err


def test_mistakes_are_said(team: Any) -> None:
    assert team("entity", "merge", "a.md", "b.md").code == 2
    assert "of type Document" in team("entity", "merge", "a.md", "b.md").err
    assert "no merge of 'PayTeam' stands" in team("entity", "unmerge", "PayTeam").err
    assert team("entity", "history").out == "Nothing.\n"
