"""Opens what `quipu export --format …` wrote with libraries that read it, and prints as JSON what
they found. Run by `test_suites.py`: `python opened_graphs.py FOLDER`.
"""

import json
import sys
from pathlib import Path

import apsw
import graphqlite
import networkx
import pandas
import rdflib

NAME = "urn:quipu:vocabulary:name"
OWNED = "urn:quipu:vocabulary:OWNED_BY"


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


def cypher(path: Path) -> list[object]:
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(graphqlite.loadable_path())

    def run(statement: str) -> list[dict[str, object]]:
        ((found,),) = connection.execute("SELECT cypher(?)", (statement,)).fetchall()
        return json.loads(found) if found and found.startswith("[") else []

    for line in path.read_text("utf-8").split("\n"):
        if line:
            run(line.removesuffix(";"))
    (nodes,) = run("MATCH (a:Quipu) RETURN count(a) AS n")
    (edges,) = run("MATCH (a)-[r]->(b) RETURN count(r) AS n")
    owned = run("MATCH (a)-[r:OWNED_BY]->(b) RETURN a.name AS one, b.name AS two")
    return [nodes["n"], edges["n"], sorted([row["one"], row["two"]] for row in owned)]


def rdf(path: Path) -> list[object]:
    graph = rdflib.Graph().parse(path, format="json-ld")
    edges = set(graph.subjects(rdflib.RDF.type, rdflib.URIRef("urn:quipu:vocabulary:Edge")))
    nodes = set(graph.subjects(rdflib.RDF.type)) - edges
    name = rdflib.URIRef(NAME)
    owned = [
        [str(graph.value(a, name)), str(graph.value(b, name))]
        for a, b in graph.subject_objects(rdflib.URIRef(OWNED))
    ]
    return [len(nodes), len(edges), sorted(owned)]


folder = Path(sys.argv[1])
print(
    json.dumps(
        {
            "graphml": graphml(folder / "graph.graphml"),
            "csv": csv(folder / "graph.csv"),
            "cypher": cypher(folder / "graph.cypher"),
            "rdf": rdf(folder / "graph.rdf"),
        }
    )
)
