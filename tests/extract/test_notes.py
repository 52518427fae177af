"""Vaults: notes that link by name, and what else stands in them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from quipu.read import SourceFile, content_hash, read_document
from quipu.records.document import Document
from quipu.records.record import Fact, Relation

Extract = Callable[[Mapping[str, str]], Any]

VAULT = {
    "Home.md": "See [[Atlas]], [[projects/Borealis|the northern one]] and ![[Diagram.png]].\n"
    "[[#Here]] is no other note, `[[Not this]]` is code.\n\n"
    "```sh\nif [[ -f x ]]; then\n[[Nor]]\n```\n",
    "projects/Atlas.md": '---\naliases: [The Atlas, ATL]\nup: "[[Home]]"\nproject: [[Borealis]]\n'
    'owner: "[[people/Ada Lovelace|Ada]]"\n---\nText about it. ^intro\n\n## Notes\n\n'
    "Built after [[Borealis#Ideas]] and ![[Borealis#^idea1]].\n\n## People\n\n- Someone\n",
    "projects/Borealis.md": "## Ideas\n\n- depends on [[ATL]] (it needs the maps)\n"
    "- [[Home]]\n- Talked with [[Ada Lovelace]] about it\n\n## Plans\n\nparent:: [[the atlas]]\n",
    "people/Ada Lovelace.md": "# Ada\n\n| who | where |\n|---|---|\n| she | [[Atlas\\|there]] |\n",
}


def _read(text: str, path: str = "n.md") -> Document:
    digest = content_hash(text.encode())
    return read_document(
        SourceFile(path, text.encode(), digest, digest, "2024-05-06T07:08:09.000Z")
    )


def test_wiki_links_lead_to_notes_by_name_alias_path_and_heading(extract: Extract) -> None:
    asserted = extract(VAULT)
    home, atlas, borealis = "Home.md", "projects/Atlas.md", "projects/Borealis.md"
    ada = "people/Ada Lovelace.md"
    assert asserted.triples("LINKS_TO") == {
        (home, "LINKS_TO", atlas),
        (home, "LINKS_TO", borealis),
        (atlas, "LINKS_TO", borealis),
        (atlas, "LINKS_TO", ada),
        (borealis, "LINKS_TO", home),
        (borealis, "LINKS_TO", ada),
        (ada, "LINKS_TO", atlas),
    }
    assert asserted.unresolved == []


def test_a_list_item_or_a_property_says_how_two_notes_are_related(extract: Extract) -> None:
    asserted = extract(VAULT)
    assert asserted.triples("DEPENDS_ON", "PARENT", "UP", "PROJECT", "OWNED_BY") == {
        ("projects/Borealis.md", "DEPENDS_ON", "projects/Atlas.md"),
        ("projects/Borealis.md", "PARENT", "projects/Atlas.md"),
        ("projects/Atlas.md", "UP", "Home.md"),
        ("projects/Atlas.md", "PROJECT", "projects/Borealis.md"),
        ("projects/Atlas.md", "OWNED_BY", "Ada Lovelace"),
    }
    (depends,) = [
        r for r in asserted.records() if isinstance(r, Relation) and r.type == "DEPENDS_ON"
    ]
    assert depends.properties == {"as_written": "depends on"}


def test_a_link_to_a_note_that_is_not_there_is_told(extract: Extract) -> None:
    asserted = extract({"a.md": "# A\n\n- implements [[Nobody]]\n\n![[sound.mp3]]\n"})
    assert [tuple(u) for u in asserted.unresolved] == [("a.md", 3, "IMPLEMENTS", "[[Nobody]]")]


def test_of_two_notes_with_one_name_the_nearer_is_meant_else_neither(extract: Extract) -> None:
    files = {
        "x/Plan.md": "# X\n",
        "y/Plan.md": "# Y\n",
        "x/a.md": "[[Plan]]\n",
        "z/b.md": "[[Plan]]\n",
        "z/c.md": "[[y/Plan]]\n",
    }
    asserted = extract(files)
    assert asserted.triples("LINKS_TO") == {
        ("x/a.md", "LINKS_TO", "x/Plan.md"),
        ("z/c.md", "LINKS_TO", "y/Plan.md"),
    }
    assert [u.path for u in asserted.unresolved] == ["z/b.md"]


def test_observations_are_facts_of_the_note(extract: Extract) -> None:
    files = {
        "specs/Search.md": "---\ntitle: Search\ntype: note\npermalink: specs/search\n---\n\n"
        "- [tech] Uses BM25 and vectors #retrieval #words (measured in May)\n"
        "- [x] done already\n- [docs](https://x.org)\n"
        "- [design decision] Names come first\n",
        "Other.md": "# Other\n\n- [core] a change in a list\n\n## Observations\n\n"
        "- [status] under [[Search|review]]\n",
        "memory.md": "# Memory\n\n[[memory://specs/search]]\n",
    }
    asserted = extract(files)
    facts = {(f.subject, f.predicate, f.object): f for f in asserted.records() if _is_fact(f)}
    assert set(facts) == {
        ("Search", "tech", "Uses BM25 and vectors"),
        ("Search", "design decision", "Names come first"),
        ("Other", "status", "under review"),
    }
    said = facts["Search", "tech", "Uses BM25 and vectors"].provenance
    assert (said["line"], said["tags"], said["context"]) == (
        7,
        ["retrieval", "words"],
        "measured in May",
    )
    assert ("memory.md", "LINKS_TO", "specs/Search.md") in asserted.triples("LINKS_TO")


def _is_fact(record: object) -> bool:
    return isinstance(record, Fact) and record.provenance.get("rule") == "observation"


def test_logseq_pages_journals_properties_and_blocks(extract: Extract) -> None:
    block = "65a1b2c3-0000-4000-8000-123456789abc"
    files = {
        "pages/work___Atlas.md": f"alias:: The Atlas\ntags:: maps\n\n- A block\n  id:: {block}\n",
        "pages/Index.md": f"- see [[work/Atlas]]\n- {{{{embed (({block}))}}}}\n"
        "- on [[Jan 2nd, 2024]] with #[[The Atlas]]\n",
        "journals/2024_01_02.md": "- met [[the atlas]] people\n",
    }
    asserted = extract(files)
    assert asserted.triples("LINKS_TO") == {
        ("pages/Index.md", "LINKS_TO", "pages/work___Atlas.md"),
        ("pages/Index.md", "LINKS_TO", "journals/2024_01_02.md"),
        ("journals/2024_01_02.md", "LINKS_TO", "pages/work___Atlas.md"),
    }
    atlas = next(e for e in asserted.entities().values() if e.name == "work/Atlas")
    assert "The Atlas" in atlas.aliases
    assert atlas.properties["tags"] == ["maps"]


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("notes/Weekly sync.md", "No heading at all.\n", "Weekly sync"),
        ("notes/Atlas.md", "## Ideas\n\na\n\n## Plans\n\nb\n", "Atlas"),
        ("notes/Atlas.md", "### Maps\n\na\n\n#### Of Europe\n\nb\n", "Maps"),
        ("notes/Atlas.md", "text\n\n# Maps of [[Europe|the world]] ^id\n", "Maps of the world"),
        ("README.md", "## Atlas\n\na\n\n## Install\n\nb\n", "Atlas"),
        ("notes/Atlas.md", "---\ntitle: Named\n---\n# Other\n", "Named"),
    ],
)
def test_a_note_without_a_heading_is_called_by_its_file(path: str, text: str, title: str) -> None:
    assert _read(text, path).title == title


def test_comments_are_left_out_and_lines_stay() -> None:
    text = (
        "# A\n\nSeen %%unseen one%% and 100%% sure.\n\n%%\nunseen two\nunseen three\n%%\n\n"
        "```\n%% shown, as code %%\n```\n\n`%%also%%` shown\n\n%%\nunseen to the end\n"
    )
    document = _read(text)
    assert "unseen" not in document.text
    assert document.text.count("\n") == text.count("\n")
    assert "%% shown, as code %%" in document.text
    assert "`%%also%%`" in document.text
    assert "100%% sure" in document.text
