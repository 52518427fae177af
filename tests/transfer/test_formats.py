"""The graph in the formats of other programs, opened as those open it."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quipu.agents.dumps import export_knowledge, import_dump
from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph, KnowledgeRelation
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.transfer.formats import FORMATS, GraphFormat

Tree = Callable[[dict[str, str]], None]
Open = Callable[..., Memory]

TREE = {
    "guide.md": "---\nowner: \"@team 'O' \\\\ & <b>\"\n"
    "valid_from: 2025-01-01\nstatus: active\n---\n# Guide \U0001f600\n\n"
    "See [the other](other.md) and `fetch_rows`.\n",
    "other.md": '# Other\n\nText, "quoted".\n',
    "a.py": "def fetch_rows(x):\n    '''Fetch rows.'''\n    return x\n",
}


@pytest.fixture
def told(memory: Memory, tree: Tree) -> Memory:
    tree(TREE)
    memory.index()
    memory.relate("guide.md", "explains", "a.py", confidence=0.4)
    return memory


def test_graphml_has_every_node_and_edge(told: Memory, tmp_path: Path) -> None:
    written = told.export_graph(tmp_path / "g.graphml", to="graphml")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ElementTree.parse(tmp_path / "g.graphml").getroot()
    nodes = {node.get("id"): node for node in root.iter(f"{space}node")}
    edges = list(root.iter(f"{space}edge"))
    assert (len(nodes), len(edges)) == (written.nodes, written.edges)
    assert all(edge.get("source") in nodes and edge.get("target") in nodes for edge in edges)
    declared = {key.get("id") for key in root.iter(f"{space}key")}
    said = {(d.get("key"), d.text) for d in root.iter(f"{space}data")}
    assert {key for key, _ in said} <= declared
    assert ("node_name", "@team 'O' \\ & <b>") in said
    assert ("edge_type", "EXPLAINS") in said
    assert ("edge_confidence", "0.4") in said


def test_csv_has_the_headers_of_neo4js_import(told: Memory, tmp_path: Path) -> None:
    written = told.export_graph(tmp_path / "g.csv", to="csv")
    nodes, relations = (_rows(Path(file)) for file in written.files)
    ids = {row["id:ID"] for row in nodes}
    assert len(nodes) == written.nodes == len(ids)
    assert {row[":LABEL"] for row in nodes} >= {"Document", "Symbol", "Owner", "Fact"}
    assert {row["name"] for row in nodes} >= {"@team 'O' \\ & <b>", "Guide \U0001f600"}
    assert all({row[":START_ID"], row[":END_ID"]} <= ids for row in relations)
    assert [r["confidence:double"] for r in relations if r[":TYPE"] == "EXPLAINS"] == ["0.4"]
    (fact,) = [row for row in nodes if (row["predicate"], row["object"]) == ("status", "active")]
    assert (fact["subject"], fact["valid_from"]) == ("Guide \U0001f600", "2025-01-01")
    held = [r[":START_ID"] for r in relations if r[":TYPE"] == "HAS_FACT"]
    guide = next(row["id:ID"] for row in nodes if row["name"] == "Guide \U0001f600")
    assert guide in held


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("to", FORMATS)
def test_the_same_graph_gives_the_same_bytes_and_nothing_is_written_over(
    told: Memory, tmp_path: Path, to: GraphFormat
) -> None:
    one, two = (told.export_graph(tmp_path / f"{n}.{to}", to=to).files for n in "ab")
    assert [Path(f).read_bytes() for f in one] == [Path(f).read_bytes() for f in two]
    with pytest.raises(InvalidInput, match="--force"):
        told.export_graph(tmp_path / f"a.{to}", to=to)


def test_the_hand_kept_graph_goes_out_as_it_came_in(
    memory: Memory, open_memory: Open, tmp_path: Path
) -> None:
    things = [
        KnowledgeEntity(name="Zed", type="person", observations=("likes tea", "lives in Rome")),
        KnowledgeEntity(name="Atlas", type="project", observations=()),
    ]
    relations = [
        KnowledgeRelation(source="Zed", type="works on", target="Atlas"),
        KnowledgeRelation(source="Atlas", type="led by", target="Zed"),
    ]
    KnowledgeGraph(memory).take_in(things, relations)
    out = tmp_path / "memory.jsonl"
    assert export_knowledge(memory, out).nodes == 2
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert lines == [
        {
            "type": "entity",
            "name": "Zed",
            "entityType": "person",
            "observations": ["likes tea", "lives in Rome"],
        },
        {"type": "entity", "name": "Atlas", "entityType": "project", "observations": []},
        {"type": "relation", "from": "Zed", "to": "Atlas", "relationType": "works on"},
        {"type": "relation", "from": "Atlas", "to": "Zed", "relationType": "led by"},
    ]
    with open_memory("memory:", tmp_path / "other", embedder=None) as other:
        import_dump(other, out, "server-memory")
        assert KnowledgeGraph(other).read() == (things, relations)
