"""Opens what `quipu export --format …` wrote with libraries that read it, and prints as JSON what
they found. Run by `test_suites.py`: `python opened_graphs.py FOLDER`.
"""

import json
import sys
from pathlib import Path

import networkx
import pandas


def graphml(path: Path) -> list[object]:
    graph = networkx.read_graphml(path, force_multigraph=True)
    owned = [
        [graph.nodes[a]["name"], graph.nodes[b]["name"]]
        for a, b, said in graph.edges(data=True)
        if said["type"] == "OWNED_BY"
    ]
    return [graph.number_of_nodes(), graph.number_of_edges(), sorted(owned)]


def csv(path: Path) -> list[object]:
    nodes = pandas.read_csv(path.with_suffix(".nodes.csv"), index_col="id:ID")
    edges = pandas.read_csv(path.with_suffix(".relations.csv"))
    rows = edges[edges[":TYPE"] == "OWNED_BY"]
    owned = [
        [nodes.loc[a, "name"], nodes.loc[b, "name"]]
        for a, b in zip(rows[":START_ID"], rows[":END_ID"], strict=True)
    ]
    return [len(nodes), len(edges), sorted(owned)]


folder = Path(sys.argv[1])
print(
    json.dumps(
        {
            "graphml": graphml(folder / "graph.graphml"),
            "csv": csv(folder / "graph.csv"),
        }
    )
)
