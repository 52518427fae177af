"""Records: looked up, remembered, forgotten; what was accepted to be written."""

import logging
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from quipu.errors import InvalidInput, QuipuError
from quipu.limits import AROUND
from quipu.memory import Memory, Passage, Status
from quipu.memory.ingestion import text_job
from quipu.ports import Progress
from quipu.records.ids import kind_of
from quipu.records.record import (
    Chunk,
    Entity,
    Fact,
    Properties,
    Record,
    Relation,
    Support,
    record_id,
)
from quipu.resolve.merges import may_be_merged
from quipu.serve.operations import (
    Command,
    Date,
    Flag,
    Http,
    Mark,
    Word,
    operation,
    standard_input,
)
from quipu.write.jobs import Job

__all__: list[str] = []

_LOG = logging.getLogger("quipu.serve")
_STANDARD = "standard input"

Name = Meta(max_length=500)
Embed = Annotated[
    bool, "make its vectors", Flag("--no-embed", says="leave the vectors for the next run")
]


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu add`."""

    episode_id: Annotated[str, "what `quipu forget` erases again"]
    unchanged: Annotated[bool, "the same text was there under its reference: nothing was changed"]
    facts: Annotated[tuple[Fact, ...], "what it was read to state"]
    replaces: Annotated[tuple[Fact, ...], "facts whose place these take; nothing of them is lost"]


class JobList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu jobs`."""

    jobs: Annotated[tuple[Job, ...], "the latest first"]


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu forget`."""

    refs: Annotated[tuple[str, ...], "what was asked for"]
    episodes: Annotated[int, "how many episodes were erased, ended ones included"]


class Rescanned(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu rescan`."""

    sources: Annotated[tuple[str, ...], "the sources that held secrets, which are redacted now"]


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu get`: the record with the fields of its kind, and what stands around it.

    `chunks` are a document's passages by position, without limit; `relations` those at an
    entity, `facts` those of it that hold, at most 200 each; `support` says which episodes assert
    the record and in which chunks.
    """

    kind: Annotated[str, "`episode`, `chunk`, `entity`, `relation`, `fact` or `passage`"]
    record: Annotated[Record | Passage, "the record, with the keys of its kind"]
    chunks: Annotated[tuple[Chunk, ...], "a document's passages by position"] = ()
    relations: Annotated[tuple[Relation, ...], "those at an entity, at most 200, by id"] = ()
    facts: Annotated[tuple[Fact, ...], "statements of an entity that hold, at most 200"] = ()
    support: Annotated[tuple[Support, ...], "which episodes assert it, and in which chunks"] = ()


@operation("read", Command(), Http("GET /api/v1/records/{ref:path}", name="get_record"))
def get(
    memory: Memory, ref: Annotated[str, "an id, a path or a name", Word(), Mark.PLACE, Mark.SUBJECT]
) -> Opened:
    """Show what REF names: an id, a path, path:12-40, a source or a unique name.

    A document lists its passages; a thing its relations and statements; both the sources that
    assert them.

    $ quipu get src/db/client.py:40-60
    $ quipu get 'payment service'
    $ quipu get --json ch_0123456789abcdef01234567
    """
    found = memory.get(ref)
    if isinstance(found, Passage):
        return Opened(kind="passage", record=found)
    key = record_id(found)
    shown = Opened(
        kind=kind_of(key) or "record",
        record=found,
        support=tuple(memory.graph.support([key]).get(key, ())),
    )
    if not isinstance(found, Entity):
        return shown
    return replace(
        shown,
        relations=tuple(memory.relations(key, limit=AROUND)),
        chunks=tuple(memory.store.chunks(memory.store.numbers_in([key])[key])),
        facts=_facts_of(memory, found),
    )


@operation(
    "write",
    Command(without="wait"),
    Http(
        "POST /api/v1/episodes",
        status=201,
        name="add_episode",
        body="NewEpisode",
        gives=Added,
        told={202: Job},
        without="source_type embed properties",
    ),
)
def add(
    memory: Memory,
    text: Annotated[
        str,
        "what is to be remembered; Markdown is understood",
        Meta(
            min_length=1,
            max_length=2_000_000,
            examples=["The payment service is owned by Ada Lovelace."],
        ),
        Mark.CONTENT,
    ],
    title: Annotated[str, "what it is called", Name] = "",
    source_ref: Annotated[
        Annotated[str, Name] | None, "what a citation opens; another text under it replaces it"
    ] = None,
    source_type: Annotated[str, "what kind of source it is"] = "manual_ingest",
    group: Annotated[str, "its conversation or repository", Name] = "",
    observed_at: Annotated[Date | None, "when it was true to say it; none: now"] = None,
    expires: Annotated[Date | None, "from then on it is no longer recalled"] = None,
    embed: Embed = True,
    properties: Annotated[Properties, "a property to keep", Mark.PAIRS] = {},  # noqa: B006
    wait: Annotated[bool, "false: accept it as a job, write it after (status 202)"] = True,
) -> Added | Job:
    """Remember TEXT, the text of a file, or standard input (-).

    Another text under the same source_ref replaces the first; the same text changes nothing,
    whatever date or title comes with it. The date lies between the year 1000 and a day from now.

    $ quipu add 'Releases are cut on Tuesdays' --title Releases
    $ quipu add --file notes.md --source-ref notes/2026-01
    $ git log -1 | quipu add -
    """
    given = text_job(
        memory,
        text,
        source_ref=source_ref,
        title=title,
        source_type=source_type,
        group=group,
        observed_at=observed_at,
        expires=expires,
        properties=properties,
    )
    if wait:
        job = memory.jobs.do(given, embed=embed)
        read = memory.facts.stated_by(job.result)
        return Added(
            episode_id=job.result,
            unchanged=bool(job.unchanged),
            facts=read.stated,
            replaces=read.replaced,
        )
    (job,) = memory.jobs.accept([given])
    threading.Thread(target=_work, args=(memory, job), name="quipu-job").start()
    return job


def _work(memory: Memory, job: Job) -> None:
    try:
        for _ in memory.jobs.work_on([job]):
            pass
    except QuipuError as error:  # it is left to whoever writes next
        _LOG.warning("job %s waits: %s", job.job_id, error)


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a session; further keys (`name`, `timestamp`) are kept."""

    role: Annotated[str, Meta(max_length=100, description="`user`, `assistant` …")]
    content: Annotated[str, Meta(max_length=500_000, description="what was said")]
    name: Annotated[Annotated[str, Name] | None, Meta(description="who said it")] = None
    timestamp: Annotated[Annotated[str, Meta(max_length=40)] | None, Meta(description="when")] = (
        None
    )


@operation(
    "write", Http("POST /api/v1/sessions", status=201, name="add_session", body="NewSession")
)
def remember_session(
    memory: Memory,
    session_id: Annotated[str, "names it", Meta(min_length=1, max_length=500)],
    messages: Annotated[
        tuple[Message, ...],
        "the whole session so far, in order",
        Meta(min_length=1, max_length=10_000),
    ],
) -> Job:
    """Remember messages; given again with more at the end, only what is new is written."""
    return memory.add(msgspec.to_builtins(messages), session_id=session_id)


@operation("write", Command(fails=lambda job: not (job.added or job.unchanged or job.refused)))
def ingest(
    memory: Memory,
    paths: Annotated[tuple[str, ...], Word("PATH|URL...")],
    session: Annotated[
        str | None, "what a session from standard input is called that does not say it; else stdin"
    ] = None,
    kind: Annotated[
        Literal["goal", "task"] | None, "what the records of the files are that do not say it"
    ] = None,
    embed: Embed = True,
    progress: Progress | None = None,
) -> Job:
    """Remember what is in files, in folders of them, at URLs, or on standard input (-).

    Transcripts (logs of Claude Code and Codex, lists of messages, exports of ChatGPT and Claude,
    memory folders, JSON lines) and goals and tasks (JSON, front matter) are told apart
    by what they hold. A URL is fetched (HTML, Markdown, text, PDF), its links are not; robots.txt
    is heeded, and no address of a private network is reached. What is known is not written again.
    What was accepted is a job: `quipu jobs` shows it, and a kill loses nothing of it. What cannot
    be read is listed and the rest is remembered; exit code 1 when nothing could be read.

    $ quipu ingest ~/.claude/projects
    $ quipu ingest conversations.json --no-embed
    $ quipu ingest plan.json todo.md
    $ quipu ingest https://example.org/guide
    $ cat talk.jsonl | quipu ingest -
    """
    from quipu.kinds.pages.address import is_url

    piped = paths == ("-",)
    urls = [path for path in paths if is_url(path)]
    if "-" in paths and not piped:
        raise InvalidInput("'-' stands alone: give either paths or standard input")
    if urls and len(urls) < len(paths):
        raise InvalidInput("URLs and paths are two jobs: give either the ones or the others")
    if kind is not None and (urls or piped):
        raise InvalidInput(
            f"--kind {kind} is for files of goals and tasks, not for URLs or standard input: "
            "leave it out, or give the path of a file"
        )
    if session is not None and not piped:
        raise InvalidInput(
            f"--session {session} names what standard input holds, and a file or a page has a "
            "name of its own: leave it out, or give '-'"
        )
    if urls:
        return memory.ingest_urls(urls, embed=embed, progress=progress)
    if not piped:
        return memory.ingest(paths, kind=kind, embed=embed, progress=progress)
    from quipu.kinds.conversations.read import read_sessions

    try:
        read = read_sessions(_STANDARD, standard_input(), session=session or "stdin")
    except InvalidInput as error:
        raise InvalidInput(f"{_STANDARD} {error}") from error
    given = [*read.problems, *read.transcripts]
    return memory.ingest_sessions(given, embed=embed, progress=progress)


@operation("read", Http("GET /api/v1/jobs", name="list_jobs", page="jobs"))
def list_jobs(memory: Memory) -> JobList:
    """List what was accepted to be written, the latest first."""
    return JobList(jobs=tuple(memory.jobs()))


@operation("read", Http("GET /api/v1/jobs/{job_id:str}", name="show_job"))
def show_job(memory: Memory, job_id: Annotated[str, "the job"]) -> Job:
    """Show how a job stands."""
    return memory.jobs.get(job_id)


@operation("write", Command())
def jobs(
    memory: Memory,
    job_id: Annotated[str | None, Word()] = None,
    resume: Annotated[bool, "do now what a killed process left undone"] = False,
    salvage: Annotated[bool, "put a damaged ops.db aside and begin another"] = False,
    tell: Callable[[str], None] = lambda _: None,
) -> JobList | Job:
    """List the jobs that are open and the last that ended, or show the one called JOB_ID.

    A job is what `add`, `ingest` or an agent's tool gave to be remembered. It is `accepted`,
    `running`, `done` or `failed`, and is never lost in between.

    $ quipu jobs
    $ quipu jobs --resume
    $ quipu jobs --json
    """
    if salvage:
        found = memory.jobs.salvage()
        tell(
            "ops.db is whole: nothing was changed."
            if found.aside is None
            else f"The damaged ops.db stands beside the new one as {found.aside.name}. Its API "
            "keys are to be made again (`quipu key create`); a server asks for one meanwhile."
        )
    if resume:
        memory.jobs.resume()
    return list_jobs(memory) if job_id is None else memory.jobs.get(job_id)


def _erased(given: dict[str, Any]) -> str:
    """What is to be erased, as a person is asked. Raises InvalidInput."""
    refs, expired = given["refs"], given["expired"]
    if bool(refs) == expired:
        raise InvalidInput("name the sources to erase, or give --expired: one of the two")
    return "all that has expired" if expired else f"{len(refs)} source{'s' if refs[1:] else ''}"


@operation("admin", Command(erases=_erased))
def forget(
    memory: Memory,
    refs: Annotated[tuple[str, ...], Word("[REF]..."), Mark.PLACE] = (),
    expired: Annotated[bool, "erase what has expired (`quipu status` counts it)"] = False,
) -> Forgotten:
    """Erase sources and all that only they said, history included.

    REF is a source (a path, manual:…), a document's id or an episode's id. The file itself is
    left alone: indexing it again brings it back, unless .quipuignore names it.

    $ quipu forget docs/old.md
    $ quipu forget --yes manual:3f2a90c1
    """
    count = memory.purge_expired() if expired else memory.forget(list(refs))
    return Forgotten(refs=refs, episodes=count)


@operation("admin", Http("DELETE /api/v1/episodes/{ref:path}", name="forget_episode"))
def forget_one(memory: Memory, ref: Annotated[str, "the source"]) -> Forgotten:
    """Erase a source for good: a path, `manual:…`, a session, an episode's or document's id."""
    return Forgotten(refs=(ref,), episodes=memory.forget(ref))


@operation("write", Command())
def rescan(memory: Memory) -> Rescanned:
    """Redact what is stored with the rules of today, after an upgrade that knows more secrets.

    Exports, backups and files are not touched; `quipu embed` makes the vectors anew that were
    dropped.

    $ quipu rescan
    """
    return Rescanned(sources=tuple(memory.rescan()))


@operation("read", Command())
def status(memory: Memory) -> Status:
    """Count what is stored, say how old the index is and what lacks a vector.

    $ quipu status
    $ quipu status --json
    """
    return memory.stats()


def _facts_of(memory: Memory, thing: Entity) -> tuple[Fact, ...]:
    """What holds of a thing: facts call it by its id or, where its name says what it is, by
    that."""
    names = [thing.entity_id, *([thing.name] if may_be_merged(thing.type) else [])]
    found = {f.fact_id: f for name in names for f in memory.facts(name, live=True)}
    return tuple(found.values())[:AROUND]
