"""Links, stated relations, owners and facts."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.rows import rows

from quipu.records.record import Fact, Relation

Extract = Callable[[Mapping[str, str]], Any]


def test_links_go_to_documents_or_to_addresses(extract: Extract) -> None:
    files = {
        "docs/a.md": (
            "[b](b.md#part) [up](../README.md) [root](/docs/b.md) [out](https://x.org/p#q) "
            "[folder](sub/) [mail](mailto:a@b.c) [here](#x)\n\n[gone](gone.md)\n"
        ),
        "docs/b.md": "# B\n",
        "docs/sub/c.md": "# C\n",
        "README.md": "# R\n",
    }
    asserted = extract(files)
    assert asserted.triples("LINKS_TO") == {
        ("docs/a.md", "LINKS_TO", "docs/b.md"),
        ("docs/a.md", "LINKS_TO", "README.md"),
        ("docs/a.md", "LINKS_TO", "https://x.org/p"),
    }
    assert asserted.names("URL") == {"https://x.org/p"}
    assert [tuple(u) for u in asserted.unresolved] == [("docs/a.md", 3, "LINKS_TO", "gone.md")]


@pytest.mark.parametrize(
    ("link", "target"),
    rows(__file__, "a_page_of_a_site_is_the_source_that_it_is_made_from"),
)
def test_a_page_of_a_site_is_the_source_that_it_is_made_from(
    extract: Extract, link: str, target: str | None
) -> None:
    files = {
        "site/manual/a.md": f"# A\n\nSee [it]({link}).\n",
        "site/manual/x.html.md": "# X\n",
        "site/manual/old.rst": "Old\n===\n",
        "site/guide/start.adoc": "= Start\n",
        "site/guide/_index.md": "# Guide\n",
        "other/only.md": "# Only\n",
        "README.md": "# R\n",
    }
    asserted = extract(files)
    expected = {("site/manual/a.md", "LINKS_TO", target)} if target else set()
    assert asserted.triples("LINKS_TO") == expected
    assert len(asserted.unresolved) == (target is None)


def test_front_matter_names_documents_by_path_id_or_title(extract: Extract) -> None:
    files = {
        "adr/1.md": "---\nid: ADR-1\ntitle: Old way\nsuperseded_by: 2.md\n---\nx\n",
        "adr/2.md": "---\nid: ADR-2\ntitle: New way\n---\nx\n",
        "a.md": "---\nrelates_to: [Old way, ADR-2]\ndepends_on: missing\n"
        "blocks: adr/1.md\n---\nx\n",
        "b.md": "---\ndecided_by: ADR-2\nowner: '@team/Core'\ngoverned_by: Privacy\n---\nx\n",
        "c.md": "---\nowner: team/core\n---\nx\n",
        "policies/p.md": "---\ntitle: Privacy\n---\nx\n",
    }
    asserted = extract(files)
    assert asserted.triples() >= {
        ("adr/2.md", "SUPERSEDES", "adr/1.md"),
        ("a.md", "RELATES_TO", "adr/1.md"),
        ("a.md", "RELATES_TO", "adr/2.md"),
        ("a.md", "BLOCKS", "adr/1.md"),
        ("b.md", "DECIDED_BY", "New way"),
        ("b.md", "GOVERNED_BY", "Privacy"),
        ("New way", "DEFINED_IN", "adr/2.md"),
        ("Privacy", "DEFINED_IN", "policies/p.md"),
    }
    assert [(u.path, u.line, u.target) for u in asserted.unresolved] == [("a.md", 3, "missing")]
    owners = {e.entity_id for e in asserted.entities().values() if e.type == "Owner"}
    assert len(owners) == 1
    (blocks,) = [r for r in asserted.records() if isinstance(r, Relation) and r.type == "BLOCKS"]
    assert blocks.properties == {"as_written": "blocks"}


def test_a_sentence_that_says_superseded_is_more_than_a_link(extract: Extract) -> None:
    files = {"a.md": "# A\n\nSuperseded by [b](b.md).\n", "b.md": "# B\n"}
    assert extract(files).triples() == {("b.md", "SUPERSEDES", "a.md")}


def test_prose_refers_to_symbols_and_files_it_names(extract: Extract) -> None:
    files = {
        "g.md": "# G\n\nCall `build_index()`, not Store.write; see src/m.py and `walker`.\n\n"
        "## `build_index`\n\nIt builds.\n",
        "src/m.py": "def build_index():\n    pass\n\n\ndef walker():\n    pass\n",
        "src/s.py": "class Store:\n    def write(self):\n        pass\n",
    }
    assert extract(files).triples("REFERS_TO", "DESCRIBES") == {
        ("g.md", "REFERS_TO", "src/m.py:build_index"),
        ("g.md", "REFERS_TO", "src/s.py:Store.write"),
        ("g.md", "REFERS_TO", "src/m.py"),
        ("g.md", "REFERS_TO", "src/m.py:walker"),
        ("g.md", "DESCRIBES", "src/m.py:build_index"),
    }


def test_packages_services_and_tools(extract: Extract) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "me"\ndependencies = ["requests"]\n',
        "a.py": "import requests\n",
        "compose.yaml": "services:\n  web:\n    depends_on: [db, gone]\n  db: {}\n",
        "tools.json": '{"tools": [{"name": "search", "inputSchema": {}}]}',
        "web.md": "# Web service\n\nUses `db` and the `search` tool.\n",
    }
    asserted = extract(files)
    assert asserted.triples("DEPENDS_ON", "IMPORTS", "DEFINED_IN", "MENTIONS", "DESCRIBES") == {
        ("me", "DEFINED_IN", "pyproject.toml"),
        ("me", "DEPENDS_ON", "requests"),
        ("a.py", "IMPORTS", "requests"),
        ("web", "DEFINED_IN", "compose.yaml"),
        ("db", "DEFINED_IN", "compose.yaml"),
        ("web", "DEPENDS_ON", "db"),
        ("search", "DEFINED_IN", "tools.json"),
        ("web.md", "DESCRIBES", "web"),
        ("web.md", "MENTIONS", "search"),
    }
    assert [u.target for u in asserted.unresolved] == ["gone"]


def test_dated_front_matter_gives_facts(extract: Extract) -> None:
    text = (
        "---\ntitle: Pay\nstatus: live\neffective_date: 2024-01-02\nexpires: 2025-01-01\n"
        "facts:\n  - {subject: Ann, predicate: leads, object: Pay, valid_from: 2024-02-01}\n"
        "---\nx\n"
    )
    facts = [r for r in extract({"a.md": text}).records() if isinstance(r, Fact)]
    assert {(f.subject, f.predicate, f.object, f.valid_from, f.valid_to) for f in facts} == {
        ("Pay", "status", "live", "2024-01-02", "2025-01-01"),
        ("Ann", "leads", "Pay", "2024-02-01", None),
    }


def test_document_properties(extract: Extract) -> None:
    text = "---\nid: D-1\ndomain: billing\nstatus: draft\nreviewer: ann\n---\n# T\n"
    (document,) = extract({"docs/a.md": text}).entities().values()
    kept = {k: document.properties[k] for k in ("id", "domain", "status", "lifecycle", "reviewer")}
    assert kept == {
        "id": "D-1",
        "domain": "billing",
        "status": "draft",
        "lifecycle": None,
        "reviewer": "ann",
    }
    assert (document.name, document.properties["file_path"]) == ("T", "docs/a.md")
    assert document.properties["type"] == "doc"
