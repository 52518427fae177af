"""`cypher`: queries for whoever goes on alone in the Neo4j Browser."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.cli.terminal import safe
from quipu.serve.operations import Command, Word, operation
from quipu.store.graphs import GraphQuery, Graphs, graphs_of
from quipu.text import tokens

__all__ = ["cypher_lines"]

_LANGUAGE = "neo4j://"
"""Whose graphs the queries are for, wherever the memory itself lies."""


class CypherQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query for the graph that a memory on Neo4j keeps."""

    name: Annotated[str, "what it is called: `documents`, `failing-test`, `owners`, `callers`"]
    title: Annotated[str, "what it answers"]
    parameters: Annotated[dict[str, str | Sequence[float]], "its parameters, by name"]
    cypher: Annotated[str, "the query"]


class CypherQueries(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu cypher`."""

    queries: Annotated[tuple[CypherQuery, ...], "the queries that were asked for"]


@operation("read", Command())
def cypher(
    memory: Memory,
    query: Annotated[str | None, Word()] = None,
    about: Annotated[str | None, Word()] = None,
    tell: Callable[[str], None] = lambda _: None,
) -> CypherQueries:
    """Print queries for the graph that a memory on Neo4j keeps, with their parameters.

    QUERY is one of documents, failing-test, owners and callers; all of them without it. ABOUT is
    what is asked: a question, the path of a test, a name, a symbol.

    $ quipu cypher
    $ quipu cypher documents 'how are releases made?'
    $ quipu cypher callers open_store
    """
    graph = graphs_of(_LANGUAGE)
    asked = [each for each in graph.queries if query in (None, each.name)]
    if not asked:
        names = ", ".join(each.name for each in graph.queries)
        raise InvalidInput(f"{query!r} is no query: give one of {names}")
    made = CypherQueries(queries=tuple(_made(each, about, memory, graph) for each in asked))
    if any(each.parameters.get("queryEmb") == [] for each in made.queries):
        tell("there is no model: queryEmb, the vector of the question, is yours to give")
    return made


def _made(query: GraphQuery, about: str | None, memory: Memory, graph: Graphs) -> CypherQuery:
    subject = query.example if about is None else about
    given: dict[str, str | Sequence[float]] = {"group": graph.group_of(memory.store.namespace)}
    given[query.about] = subject
    if query.name == "documents":
        given[query.about] = " ".join(token.word for token in tokens(subject))
        model = memory.embedder_for(subject)
        given["queryEmb"] = [] if model is None else model.embed([subject])[0].tolist()
    return CypherQuery(name=query.name, title=query.title, parameters=given, cypher=query.cypher)


def cypher_lines(made: CypherQueries, _given: object) -> Iterator[str]:
    """The queries, ready to be pasted."""
    for each in made.queries:
        yield f"// {each.name}: {each.title}"
        for name, value in each.parameters.items():
            yield f":param {name} => {safe(msgspec.json.encode(value).decode(), line=True)};"
        yield from f"{each.cypher};".split("\n")
        yield ""
