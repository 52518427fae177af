"""Imports that name a package of the tree lead to its files; what is ambiguous leads nowhere."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Extract = Callable[[Mapping[str, str]], Any]

TREES = tomllib.loads((Path(__file__).parent / "data/import_targets.toml").read_text("utf-8"))
"""Trees of files, and where their imports and uses lead."""


@pytest.mark.parametrize("case", sorted(TREES))
def test_import_targets(case: str, extract: Extract) -> None:
    tree = TREES[case]
    leads = set(map(tuple, tree["leads"]))
    assert extract(tree["files"]).triples("IMPORTS", "REFERS_TO") == leads


def test_a_link_that_leads_nowhere_is_tied_to_nothing(extract: Extract) -> None:
    files = {
        "docs/x/a.md": "[b](b.md) [up](../b.md) [deep](sub/b.md) [named](Setup) [c](/c.md)\n",
        "b.md": "# B\n",
        "guide/setup.md": "# Setup\n",
        "site/c.md": "# C\n",
    }
    asserted = extract(files)
    assert asserted.triples("LINKS_TO") == set()
    assert [u.target for u in asserted.unresolved] == [
        "../b.md",
        "/c.md",
        "Setup",
        "b.md",
        "sub/b.md",
    ]


def test_front_matter_may_name_a_path_from_the_root_but_not_one_elsewhere(extract: Extract) -> None:
    files = {
        "docs/a.md": "---\nrelates_to: [b/c.md, ../gone.md, Title of D, gone.md]\n---\nx\n",
        "b/c.md": "# C\n",
        "d.md": "# Title of D\n",
        "old/gone.md": "# G\n",
    }
    asserted = extract(files)
    assert asserted.triples("RELATES_TO") == {
        ("docs/a.md", "RELATES_TO", "b/c.md"),
        ("docs/a.md", "RELATES_TO", "d.md"),
    }
    assert [u.target for u in asserted.unresolved] == ["../gone.md", "gone.md"]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_name_of_two_things_stays_unlinked_in_any_order(
    backwards: bool, extract: Extract
) -> None:
    files = {
        "policies/p1.md": "---\ntitle: Privacy\n---\nx\n",
        "policies/p2.md": "---\ntitle: Privacy\n---\nx\n",
        "adr/1.md": "---\nid: ADR-1\ntitle: One\n---\nx\n",
        "adr/2.md": "---\nid: ADR-1\ntitle: Two\n---\nx\n",
        "a.md": "---\nimplements: Privacy\ndecided_by: ADR-1\n---\nx\n",
        "b.md": "---\ndecided_by: Two\n---\nx\n",
    }
    asserted = extract(dict(reversed(files.items())) if backwards else files)
    assert asserted.triples("IMPLEMENTS", "DECIDED_BY") == {("b.md", "DECIDED_BY", "Two")}
    assert sorted(u.target for u in asserted.unresolved) == ["ADR-1", "Privacy"]
