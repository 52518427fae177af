"""Looking after a memory: what it holds, whether it is sound, into files and back."""

from pathlib import Path
from typing import Annotated, Literal, cast

import msgspec

from quipu.agents.dumps import DumpTaken, export_knowledge, import_dump
from quipu.answer.examine import Examined
from quipu.errors import InvalidInput
from quipu.kinds.incidents.migrate import Migration
from quipu.kinds.reports.reflect import Reflected
from quipu.kinds.values.api import Valued
from quipu.kinds.values.derive import Explanation
from quipu.memory import Memory
from quipu.memory.extraction import Extracted, extract_facts
from quipu.memory.validation import Validation
from quipu.ports import Progress
from quipu.serve.operations import Command, Flag, Word, given_bytes, operation
from quipu.transfer import Moved
from quipu.transfer.backup import BackedUp
from quipu.transfer.formats import GraphWritten
from quipu.write.embed import EmbedReport
from quipu.write.report import IndexReport

__all__: list[str] = []

_IMPORTS = ("arf", "mem0", "graphiti", "zep", "langgraph", "server-memory")

File = Annotated[Path, Word("PATH")]
Force = Annotated[bool, "write over a file that is there"]


@operation("read", Command(fails=lambda found: bool(found.errors)))
def validate(
    memory: Memory, strict: Annotated[bool, "a missing node type of a platform is an error"] = False
) -> Validation:
    """Check every record against the schema; exit code 1 when something is wrong.

    Wrong types, missing properties, dates that are none, and relations that end nowhere, at
    themselves or at what they cannot tie are errors, with the ids they are in. Passages without a
    tie to the graph and unknown relation types are warnings.

    $ quipu validate
    $ quipu validate --strict --json
    """
    return memory.validate(strict=strict)


@operation("write", Command())
def embed(memory: Memory, progress: Progress | None = None) -> IndexReport:
    """Make the vectors that are lacking.

    What a run that was stopped has made stays. Of two processes each makes what the other does not.

    $ quipu embed
    """
    return memory.embed_lacking(progress=progress)


@operation("write", Command())
def reindex(
    memory: Memory,
    model_version: Annotated[
        str | None, "refuse to run unless this is (part of) the embedding space of the model"
    ] = None,
    keep_old: Annotated[bool, "keep the vectors of other models"] = False,
    progress: Progress | None = None,
) -> EmbedReport:
    """Give every passage a vector of the configured model, whether it has changed or not.

    Passages that an earlier version divided into other words are counted anew first (Hindi, Thai,
    Russian …), with or without a model. What has a vector already keeps it: with the same model
    there is nothing to do, after a change of the model all is embedded. The vectors of the old
    model answer until the new ones are complete, and are dropped then. A run that was killed goes
    on where it stopped.

    $ quipu reindex
    $ quipu reindex --model-version all-MiniLM-L6-v2
    """
    return memory.reindex(model_version, keep_old=keep_old, progress=progress)


@operation("read", Command())
def export(
    memory: Memory,
    path: File,
    vectors: Annotated[bool, "the vectors too, which `reindex` can make again"] = False,
    format: Annotated[  # noqa: A002  as the option is called
        Literal["quipu", "graphml", "csv", "server-memory"],
        "Quipu's own archive, or the live graph for other programs",
    ] = "quipu",
    force: Force = False,
) -> Moved | GraphWritten:
    """Write every record to PATH, history included: whole or not at all, in a fixed order.

    With another --format it is the graph as it is now, without passages and history: GraphML, CSV
    (two files, of nodes and of relations), or the file of the official MCP memory server with the
    graph that is kept by hand.

    $ quipu export memory.jsonl
    $ quipu export --vectors backup.jsonl
    $ quipu export --format graphml graph.graphml
    """
    if vectors and format != "quipu":
        raise InvalidInput(f"--vectors goes with Quipu's own archive, not with --format {format}")
    if format == "quipu":
        return memory.export(path, vectors=vectors, overwrite=force)
    if format == "server-memory":
        return export_knowledge(memory, path, overwrite=force)
    return memory.export_graph(path, to=format, overwrite=force)


@operation("write", Command(fails=lambda done: bool(_left_out(done))))
def import_(
    memory: Memory,
    source: Annotated[tuple[str, ...], Word("[FORMAT] PATH")],
    progress: Progress | None = None,
) -> Moved | Migration | DumpTaken:
    """Take in the records that `quipu export` wrote to PATH; again changes nothing.

    A record that breaks a rule of `quipu validate` is left out and named; the exit code is 1 then.

    With the format `arf`, PATH is a folder with a FAISS index of incidents and their texts: the
    vectors are reused, and what became of each is said. Exit code 1
    when a text could not be used.

    With `mem0`, `graphiti`, `zep` or `langgraph`, PATH is JSON that those let out: memories and
    relations, episodes, entities and dated facts, items of a store (docs/how-to/move.md). A record
    that cannot be used is named; the exit code is 1 then. Notes of basic-memory and Obsidian are
    files: `quipu index` reads them.

    $ quipu import memory.jsonl
    $ quipu import mem0 memories.json
    $ quipu import arf old-store/
    """
    *words, path = source
    match words:
        case []:
            return memory.import_(Path(path), progress=progress)
        case ["arf"]:
            return memory.incidents.import_arf(Path(path), progress=progress)
        case ["mem0" | "graphiti" | "zep" | "langgraph" | "server-memory" as tool]:
            return import_dump(memory, Path(path), tool)
        case _:
            raise InvalidInput(
                f"{' '.join(words)!r} is no format: use {', '.join(_IMPORTS)}, or give a path alone"
            )


def _left_out(done: Moved | Migration | DumpTaken) -> object:
    return done.refused if isinstance(done, Moved) else done.errors


@operation("read", Command())
def backup(memory: Memory, path: File, force: Force = False) -> BackedUp:
    """Write the whole memory to PATH, while others may go on writing: one file, checked.

    All namespaces, vectors and history are in it, and what was accepted and is not written yet.
    `quipu restore` puts it back. Only its owner may read it.

    $ quipu backup memory.quipu
    $ quipu backup --force /mnt/safe/memory.quipu
    """
    return memory.backup(path, overwrite=force)


@operation(
    "write", Command(retired={"--write": "a report is its own lines, which others may sum up"})
)
def reflect(
    memory: Memory,
    communities: Annotated[
        int, "how many communities are reported on, the largest first", Flag("--budget")
    ] = 60,
    characters: Annotated[int, "how long a report may be"] = 4000,
    show: Annotated[bool, "print the reports themselves"] = False,  # noqa: ARG001  of the text
    progress: Progress | None = None,
) -> Reflected:
    """Divide the graph into communities and bring their reports up to date.

    `ask` and `search` use them with `--mode global`. The same memory gives the same reports; what
    comes out as it was is not touched, and nothing is sent anywhere.

    $ quipu reflect
    $ quipu reflect --budget 20 --characters 2000
    $ quipu reflect --show
    """
    return memory.reports.reflect(communities=communities, characters=characters, progress=progress)


@operation("write", Command())
def extract(
    memory: Memory, ref: Annotated[str | None, Word()] = None, progress: Progress | None = None
) -> Extracted:
    """Let the configured language model (chat.model) read the facts of the source REF.

    Without REF it reads what was given with ingest.extract = "model" and waits, because the model
    failed or the budget was spent. A fact whose quotation does not stand in the source is refused;
    what the model does not mend at the second try is skipped and listed.

    $ quipu extract docs/decisions.md
    $ quipu extract session:2026-03-01
    $ quipu extract
    """
    if ref is None:
        return memory.jobs.read_facts(progress=progress)
    return extract_facts(memory, ref, progress=progress)


@operation("read", Command(fails=lambda found: not found.holds))
def explain(memory: Memory, fact_id: Annotated[str, Word()]) -> Explanation:
    """Show how a derived fact came about: its inputs, the formula, the output.

    The inputs are read again and the formula is run again; exit code 1 when the fact no longer
    holds.

    $ quipu explain fa_0123456789abcdef01234567
    """
    return memory.values.explain(fact_id)


@operation("write", Command(fails=lambda found: not found.adds_up or bool(found.errors)))
def value(memory: Memory, folder: Annotated[Path | None, Word("FOLDER")] = None) -> Valued:
    """Derive the hours that scripts saved, from value_ledger.json and value tags in FOLDER.

    Tags stand in front matter or `metadata.yaml`. A ledger that does not add up is told, with the
    difference; exit code 1 then, and when a row was left out.

    $ quipu value
    $ quipu value tools/
    """
    return memory.values.derive(folder)


@operation("read", Command(fails=lambda found: not found.ok))
def check(memory: Memory, reply: Annotated[str, Word()]) -> Examined:
    """Check the answer in REPLY (JSON, - for standard input); exit code 1 when it does not hold.

    REPLY is an answer contract, or what `quipu ask --json` printed. Of each piece of evidence the
    paths, the graph ids, the excerpt and the hash are looked up in the memory and its folder. Each
    sentence of the answer is compared with what it cites: it is quoted, recorded (a cited record
    states it), reworded (a cited sentence has its names, numbers and most of its words), or not
    found. Only words are compared: what is reworded should be read.

    $ quipu contract check reply.json
    $ quipu contract check - < reply.json
    """
    return memory.check_contract(_read(reply))


def _read(reply: str) -> dict[str, object]:
    try:
        answer: object = msgspec.json.decode(given_bytes(reply))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"{reply!r} is not JSON ({error}): give what `quipu ask --json` printed"
        ) from error
    if not isinstance(answer, dict):
        raise InvalidInput(f"{reply!r} is no JSON object: give what `quipu ask --json` printed")
    return cast("dict[str, object]", answer)
