"""The questions of founding document 5 as Cypher, for the graph of a namespace."""

from quipu.store.graphs import GraphQuery

__all__ = ["QUERIES"]

QUERIES = (
    GraphQuery(
        "documents",
        "The documents nearest to a question: by vector, ties by words",
        "words",
        "how are releases made",
        """\
CALL {
  CALL db.index.fulltext.queryNodes('document_content', $words, {limit: 100})
  YIELD node, score
  RETURN collect({document: node, score: score}) AS found
}
CALL db.index.vector.queryNodes('document_embedding', 50, $queryEmb) YIELD node AS d
WITH d, [f IN found WHERE f.document = d | f.score] AS scores
WHERE d.group_id = $group
WITH d, vector.similarity.cosine(d.embedding, $queryEmb) AS similarity,
     coalesce(scores[0], 0.0) AS tfidfScore
ORDER BY similarity DESC, tfidfScore DESC, d.path
LIMIT 10
RETURN d.path AS path, similarity, tfidfScore, left(d.content, 200) AS content""",
    ),
    GraphQuery(
        "failing-test",
        "The documents that are linked to what a failing test touches",
        "path",
        "tests/test_release.py",
        """\
MATCH (t:Document {group_id: $group, path: $path})
CALL {
  WITH t
  MATCH (t)<-[:DEFINED_IN]-(:Symbol)-[:REFERS_TO]->(touched:Symbol) RETURN touched
  UNION
  WITH t
  MATCH (t)-[:REFERS_TO|IMPORTS]->(touched:Entity) RETURN touched
}
MATCH (d:Document)-[:REFERS_TO|LINKS_TO|DESCRIBES|EXPLAINS]->(touched)
WHERE d <> t
RETURN d.path AS path, collect(DISTINCT touched.name) AS touched
ORDER BY size(touched) DESC, path
LIMIT 20""",
    ),
    GraphQuery(
        "owners",
        "Who owns a document or a service",
        "name",
        "docs/release.md",
        """\
MATCH (x:Entity)-[r:OWNED_BY]->(owner:Entity)
WHERE x.group_id = $group AND (x.name = $name OR x.path = $name)
RETURN coalesce(x.path, x.name) AS of, owner.name AS owner, r.confidence AS confidence
ORDER BY confidence DESC, owner
LIMIT 20""",
    ),
    GraphQuery(
        "callers",
        "What calls a function or a method, and where that is defined",
        "symbol",
        "release",
        """\
MATCH (caller:Symbol)-[:REFERS_TO]->(called:Symbol)
WHERE called.group_id = $group AND called.name = $symbol
OPTIONAL MATCH (caller)-[:DEFINED_IN]->(d:Document)
RETURN caller.name AS caller, d.path AS path
ORDER BY path, caller
LIMIT 50""",
    ),
)
