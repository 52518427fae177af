"""A page whose front matter names a type is that thing; a pipeline is a workflow."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory
from quipu.records.record import Entity
from quipu.records.scope import Scope

Tree = Callable[[dict[str, str | bytes]], None]
RelationTuple = tuple[str, str, str]


def things(memory: Memory) -> set[tuple[str, str]]:
    """Every entity that is no document, symbol or URL, by type and name."""
    return {
        (str(e.type), e.name)
        for e in memory.store.scan("entity")
        if isinstance(e, Entity) and e.type not in ("Document", "Symbol", "URL")
    }


def relations(memory: Memory) -> set[RelationTuple]:
    """Every relation between such things, or from one to a document, by names."""
    found: set[RelationTuple] = set()
    for relation in memory.relations(limit=10_000):
        ends = memory.store.get([relation.source_entity_id, relation.target_entity_id])
        source, target = (ends[i] for i in (relation.source_entity_id, relation.target_entity_id))
        assert isinstance(source, Entity)
        assert isinstance(target, Entity)
        if source.type != "Document" and relation.type != "DEFINED_IN":
            found.add((source.name, relation.type, target.name))
    return found


@pytest.mark.parametrize(
    ("written", "type_"),
    rows(__file__, "a_page_is_what_its_front_matter_says"),
)
def test_a_page_is_what_its_front_matter_says(
    memory: Memory, tree: Tree, written: str, type_: str
) -> None:
    tree({"a/page.md": f"---\ntype: {written}\n---\n# Ledger\n\nIt keeps balances.\n"})
    memory.index()
    assert (type_, "Ledger") in things(memory)
    assert memory.validate().errors == ()


def test_a_service_has_the_relations_that_its_page_states(memory: Memory, tree: Tree) -> None:
    tree(
        {
            "ledger.md": "---\ntype: service\nname: ledger\nowner: '@team-ledger'\n"
            "depends_on: [billing]\npolicy: retention\nauthor: Ann Lee\n---\n"
            "# The ledger\n\nIt keeps balances.\n",
            "billing.md": "---\ntype: service\nname: billing\n---\n# Billing\n",
            "compose.yaml": "services:\n  ledger:\n    image: x\n",
        }
    )
    memory.index()
    services = [name for type_, name in things(memory) if type_ == "Service"]
    assert sorted(services) == ["billing", "ledger"]
    assert {t for t in relations(memory) if t[0] == "ledger"} == {
        ("ledger", "OWNED_BY", "@team-ledger"),
        ("ledger", "DEPENDS_ON", "billing"),
        ("ledger", "GOVERNED_BY", "retention"),
    }
    assert memory.ask("Who owns the ledger?").contract.answer.startswith(
        "`ledger` is owned by @team-ledger"
    )
    assert memory.validate().errors == ()


def test_one_team_however_it_is_written_and_two_teams_stay_two(memory: Memory, tree: Tree) -> None:
    tree(
        {
            "CODEOWNERS": "a.md @team-ledger\nd.md @acme/team-ledger\n",
            "a.md": "---\ntype: service\nname: a\n---\n# A\n",
            "b.md": "---\nowner: team-ledger\n---\n# B\n",
            "c.md": "---\ntype: team\nname: Team Ledger\n---\n# Who we are\n",
            "d.md": "---\nowner: team-ledgers\n---\n# D\n",
        }
    )
    memory.index()
    owners = {name for type_, name in things(memory) if type_ == "Owner"}
    assert len(owners) == 3
    assert {"@acme/team-ledger", "team-ledgers"} < owners
    assert ("a", "OWNED_BY") in {(s, kind) for s, kind, _ in relations(memory)}


WORKFLOW = """name: Deploy
on: push
jobs:
  deploy:
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/workflows/build.yml
      - run: |
          echo begin
          bash scripts/deploy.sh --now
"""
GITLAB = "deploy:\n  script:\n    - ./scripts/deploy.sh\ninclude:\n  - local: ci/build.yml\n"


@pytest.mark.parametrize(
    ("path", "text", "name", "used"),
    [
        (
            ".github/workflows/deploy.yml",
            WORKFLOW,
            "Deploy",
            {"actions/checkout", "scripts/deploy.sh", "build"},
        ),
        (".gitlab-ci.yml", GITLAB, "gitlab-ci", {"scripts/deploy.sh", "ci/build.yml"}),
    ],
)
def test_a_pipeline_is_a_workflow_with_what_it_runs(
    memory: Memory, tree: Tree, path: str, text: str, name: str, used: set[str]
) -> None:
    tree(
        {
            path: text,
            "scripts/deploy.sh": "echo deployed\n",
            ".github/workflows/build.yml": "on: push\n",
            "ci/build.yml": "x: 1\n",
        }
    )
    memory.index()
    assert ("Workflow", name) in things(memory)
    found = {
        target for source, kind, target in relations(memory) if (source, kind) == (name, "USES")
    }
    assert found == used
    assert memory.search("deploy", scope=Scope(document_types=frozenset({"workflow"}))).hits


@pytest.mark.parametrize(
    "text", ["a: [", "- 1", "", "a: &x\n  b: *x\n", "run: 5\n", "? [a]\n: b\n"]
)
def test_an_odd_pipeline_is_read_all_the_same(memory: Memory, tree: Tree, text: str) -> None:
    tree({".github/workflows/odd.yml": text, "a.md": "# A\n"})
    assert memory.index().errors == ()
