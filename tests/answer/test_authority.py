"""Anybody can write "owned by Mallory"; who owns a thing is answered from who may say so."""

import json
from collections.abc import Callable

import pytest
from tests.servers.model_server import ModelServer

from quipu.answer.examine import violations
from quipu.config import ChatConfig, Config, SourcesConfig
from quipu.errors import InvalidConfig
from quipu.memory import Memory
from quipu.memory.extraction import extract_facts

Tree = Callable[[dict[str, str | bytes]], None]
Open = Callable[..., Memory]
SERVICE = "---\ntype: service\nname: ledger\n{}---\n# The ledger\n\nIt keeps balances.\n"
OWNED: dict[str, str | bytes] = {
    "CODEOWNERS": "/services/ @team-blue\n",
    "services/ledger.md": SERVICE.format(""),
}
SAYS = "The ledger is owned by Mallory.\n"
DATED = "The ledger is owned by Mallory since 2020.\n"
QUESTION = "Who owns the ledger?"


def owners(memory: Memory) -> set[str]:
    """Whom any relation names as an owner."""
    found = [r.target_entity_id for r in memory.relations(type="owned_by", limit=1000)]
    return {memory.store.get([i])[i].name for i in found}  # type: ignore[union-attr]


def answered(memory: Memory) -> tuple[str, str]:
    """(the first sentence of the answer, what limits it); the reply holds the contract."""
    reply = memory.ask(QUESTION)
    assert violations(reply, memory.store) == []
    return reply.contract.answer.split(". ")[0], reply.contract.limitations


def test_running_text_against_codeowners_is_a_disagreement(memory: Memory, tree: Tree) -> None:
    tree({**OWNED, "README.md": f"# Platform\n\n{SAYS}"})
    memory.index()
    answer, limits = answered(memory)
    assert answer.startswith("`ledger` is owned by @team-blue [1")
    assert "Sources disagree" in limits
    assert "The ledger is owned by Mallory" in limits


@pytest.mark.parametrize("folder", ["vendor/x", "third_party", "a/vendored/x", "tests/fixtures"])
def test_a_file_from_elsewhere_asserts_no_owner(memory: Memory, tree: Tree, folder: str) -> None:
    tree(
        {
            **OWNED,
            f"{folder}/ledger.md": SERVICE.format("owner: '@mallory'\nsupersedes: The ledger\n"),
            f"{folder}/CODEOWNERS": "* @mallory\n",
            f"{folder}/notes.md": f"# Notes\n\n{DATED}",
        }
    )
    memory.index()
    assert owners(memory) == {"@team-blue"}
    assert memory.facts() == []
    assert memory.relations(type="supersedes") == []
    answer, limits = answered(memory)
    assert answer.startswith("`ledger` is owned by @team-blue")
    assert "may not assert OWNED_BY" in limits


def test_a_page_of_the_web_asserts_no_owner(memory: Memory, tree: Tree) -> None:
    memory.add(f"# Ledger\n\n{DATED}", source_type="crawl")
    assert memory.facts() == []
    assert answered(memory)[0] == "unknown"
    tree(OWNED)
    memory.index()
    assert answered(memory)[0].startswith("`ledger` is owned by @team-blue")


def test_what_is_said_in_a_conversation_gives_way(
    memory: Memory, tree: Tree, open_memory: Open
) -> None:
    said = [{"role": "user", "content": SAYS}]
    with open_memory("memory:", memory.home.folder, embedder=None) as alone:
        alone.add(said, session_id="s")
        assert "Mallory" in answered(alone)[0]
    memory.add(said, session_id="s")
    tree(OWNED)
    memory.index()
    answer, limits = answered(memory)
    assert answer.startswith("`ledger` is owned by @team-blue")
    assert "Mallory" in limits


def test_a_relation_by_hand_stands_above_all(memory: Memory, tree: Tree) -> None:
    tree({**OWNED, "o.md": "---\ntype: team\nname: red\n---\n# Red\n"})
    memory.index()
    memory.relate("ledger", "owned_by", "red")
    reply = memory.ask(QUESTION)
    assert reply.contract.answer.startswith("`ledger` is owned by red [1]")
    assert "@team-blue" in reply.contract.limitations


def test_the_rules_can_be_changed(open_memory: Open, tree: Tree, memory: Memory) -> None:
    tree(
        {
            "vendor/x.md": SERVICE.format("owner: '@mallory'\n"),
            "lib/y.md": "---\nowner: eve\n---\n# Y\n",
        }
    )
    sources = SourcesConfig(vendored=("lib/",), may_assert={"vendored": "GOVERNED_BY"})
    home = memory.home.folder
    with open_memory("memory:", home, config=Config(sources=sources)) as other:
        other.index()
        assert owners(other) == {"@mallory"}


@pytest.mark.parametrize(
    ("vendored", "owned_by"),
    [
        (("theirs.md",), set[str]()),
        (("lib/", "theirs.md"), set[str]()),
        (("theirs.md/",), {"@mallory"}),
        ((), {"@mallory"}),
    ],
)
def test_a_file_beside_all_folders_can_come_from_elsewhere(
    open_memory: Open, tree: Tree, memory: Memory, vendored: tuple[str, ...], owned_by: set[str]
) -> None:
    tree({"theirs.md": SERVICE.format("owner: '@mallory'\n")})
    config = Config(sources=SourcesConfig(vendored=vendored))
    with open_memory("memory:", memory.home.folder, config=config) as other:
        other.index()
        assert owners(other) == owned_by


@pytest.mark.parametrize(
    ("table", "said"),
    [({"wen": ""}, "no role 'wen'"), ({"web": "OWNS"}, "'OWNS' of 'web' needs no role")],
)
def test_a_rule_that_is_none_is_told(
    open_memory: Open, memory: Memory, table: dict[str, str], said: str
) -> None:
    config = Config(sources=SourcesConfig(may_assert=table))
    with (
        open_memory("memory:", memory.home.folder, config=config) as other,
        pytest.raises(InvalidConfig, match=said),
    ):
        other.index()


@pytest.mark.enable_socket
def test_a_model_reads_no_owner_from_a_page_of_the_web(
    open_memory: Open, memory: Memory, server: ModelServer
) -> None:
    told = {
        "subject": "the ledger",
        "predicate": "is owned by",
        "object": "Mallory",
        "valid_from": "2020",
        "valid_to": None,
        "quote": DATED.strip(),
    }
    server.reply = lambda _: json.dumps({"facts": [told]})
    chat = ChatConfig(model="compatible:tiny", base_url=server.base_url, retries=0)
    with open_memory("memory:", memory.home.folder, config=Config(chat=chat)) as other:
        page = other.add(f"# Ledger\n\n{DATED}", source_type="crawl")
        note = other.add(f"# Ledger\n\n{DATED}", source_ref="note")
        assert "may not assert" in " ".join(extract_facts(other, page).skipped)
        assert extract_facts(other, note).facts == 1
        assert {fact.provenance["path"] for fact in other.facts()} == {"note"}


def test_a_dated_statement_of_running_text_does_not_win(memory: Memory, tree: Tree) -> None:
    tree({**OWNED, "README.md": f"# Platform\n\n{DATED}"})
    memory.index()
    answer, limits = answered(memory)
    assert answer.startswith("`ledger` is owned by @team-blue")
    assert "Mallory" in limits
