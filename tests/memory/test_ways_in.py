"""Every verb that writes says whether it is accepted as a job first, and does as it says."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Event

import pytest
from tools.python_reference import WAYS

from quipu import CommitInput, Memory, PassageInput, StatementInput, Transcript
from quipu.errors import QuipuError
from quipu.kinds.conversations.model import Turn
from quipu.testing.fakes import HashEmbedder

INSTANT = "2026-03-01T10:00:00.000Z"
TEXT = "The ledger service depends on the rates service."
MESSAGES = [{"role": "user", "content": "We deploy the ledger service every Tuesday."}]
TASK = {"kind": "task", "id": "t1", "title": "Write the runbook", "status": "open"}
COMMIT = CommitInput(sha="a" * 40, message="Fix the ledger", time=INSTANT, files=("a.py",))
INCIDENT = {"component": "ledger", "timestamp": INSTANT, "metrics": {"latency_p99": 900}}
LINES = '{"role": "user", "content": "We deploy every Tuesday."}\n'
READS_OR_KEEPS_HOUSE = set(
    "open reports plan retrieve search ask get relations stats check_contract "
    "within validate export export_graph backup close incidents.list incidents.show "
    "incidents.timeline incidents.summary incidents.policies incidents.check_policies "
    "incidents.export incidents.similar incidents.recommend incidents.compare "
    "incidents.replay values.explain entities.show entities.proposals entities.history "
    "embed_lacking facts.find facts.history facts.is_over facts.stated_by jobs.get jobs.accept "
    "jobs.do jobs.do_transcripts "
    "jobs.resume jobs.work_on jobs.salvage jobs.close".split()
)

Call = Callable[[Memory, Path], object]


def spoken() -> list[Transcript]:
    turn = Turn(
        session_id="s", offset=1, speaker="Ann", role="user", text="We moved.", time=INSTANT
    )
    return [Transcript(session_id="s", group="s", turns=(turn,))]


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def followed(memory: Memory, folder: Path) -> object:
    stop = Event()
    stop.set()
    return list(memory.jobs.follow(file(folder, "s.jsonl", LINES), stop=stop))


def watched(memory: Memory, folder: Path) -> object:
    stop = Event()
    stop.set()
    return list(memory.watch(file(folder, "a.md", TEXT), stop=stop))


def kept_up(memory: Memory) -> object:
    stop = Event()
    stop.set()
    return list(memory.keep_up(stop=stop))


def exported(memory: Memory, folder: Path) -> Path:
    with Memory.open("memory:", embedder=None) as other:
        other.add_documents([PassageInput(source_ref="manual:x", text=TEXT)])
        other.export(folder / "all.jsonl")
        other.incidents.export(folder / "incidents.json")
    return folder


def related(memory: Memory) -> str:
    memory.incidents.add(INCIDENT)
    documents = [PassageInput(source_ref=f"manual:{n}", text=f"{n} {TEXT}") for n in "ab"]
    memory.add_documents(documents)
    return memory.relate("manual:a", "DEPENDS_ON", "manual:b").rel_id


def migrated(memory: Memory, folder: Path) -> None:
    with Memory.open(folder / "other.db", embedder=HashEmbedder(), home=folder) as target:
        memory.migrate(target)


CALLS: dict[str, Call] = {
    "add": lambda m, _: m.add(TEXT),
    "ingest": lambda m, f: m.ingest(file(f, "s.jsonl", LINES)),
    "ingest_sessions": lambda m, _: m.ingest_sessions(spoken()),
    "ingest_work": lambda m, _: m.ingest_work([TASK]),
    "ingest_urls": lambda m, _: m.ingest_urls("http://127.0.0.1:9/"),
    "jobs.follow": followed,
    "jobs.read_facts": lambda m, _: m.jobs.read_facts(),
    "index": lambda m, f: m.index(file(f, "a.md", TEXT)),
    "watch": watched,
    "keep_up": lambda m, f: [m.index(file(f, "a.md", TEXT)), kept_up(m)],
    "add_documents": lambda m, _: m.add_documents([PassageInput(source_ref="x", text=TEXT)]),
    "relate": lambda m, _: related(m),
    "unrelate": lambda m, _: m.unrelate(related(m)),
    "forget": lambda m, _: [related(m), m.forget("manual:a")],
    "rescan": lambda m, _: [related(m), m.rescan()],
    "purge_expired": lambda m, _: m.purge_expired(),
    "reindex": lambda m, _: [related(m), m.reindex()],
    "index_git": lambda m, f: m.index_git(f),
    "add_commits": lambda m, _: m.add_commits([COMMIT]),
    "reflect": lambda m, _: m.reflect(),
    "restore": lambda m, f: m.restore(f / "none"),
    "import_": lambda m, f: m.import_(exported(m, f) / "all.jsonl"),
    "migrate": migrated,
    "incidents.add": lambda m, _: m.incidents.add(INCIDENT),
    "incidents.add_files": lambda m, f: m.incidents.add_files(exported(m, f)),
    "incidents.add_text": lambda m, _: m.incidents.add_text(json.dumps(INCIDENT)),
    "incidents.outcome": lambda m, _: m.incidents.outcome(
        m.incidents.add(INCIDENT).added[0], "restart_container", success=True
    ),
    "incidents.resolve": lambda m, _: m.incidents.resolve(
        m.incidents.add(INCIDENT).added[0], "restart_container"
    ),
    "incidents.link": lambda m, _: m.incidents.link(),
    "incidents.import_": lambda m, f: m.incidents.import_(exported(m, f) / "incidents.json"),
    "incidents.import_arf": lambda m, f: m.incidents.import_arf(f),
    "facts.state": lambda m, _: m.facts.state(
        StatementInput(subject="billing", attribute="owner", value="Dagny")
    ),
    "values.derive": lambda m, f: m.values.derive(f),
    "entities.accept": lambda m, _: m.entities.accept(()),
    "entities.merge": lambda m, _: [related(m), m.entities.merge("rates", "ledger")],
    "entities.unmerge": lambda m, _: [related(m), m.entities.unmerge("rates")],
}
FAIL_HERE = {"index_git", "restore", "values.derive"} | {
    "incidents.import_arf",
    "entities.merge",
    "entities.unmerge",
}


def verbs() -> Iterator[tuple[str, str]]:
    """Every public method, of a memory and of its nouns, with its docstring as one line."""
    with Memory.open("memory:", embedder=None) as memory:
        held = [n for n, m in vars(Memory).items() if isinstance(m, cached_property)]
        for prefix, noun in [("", memory), *((f"{n}.", getattr(memory, n)) for n in held)]:
            for name, member in vars(type(noun)).items():
                if isinstance(member, property | cached_property) or name.startswith("_"):
                    continue
                yield prefix + name, " ".join((getattr(noun, name).__doc__ or "").split())


SAID = {
    name: next((way for sentence, way in WAYS.items() if sentence in doc), "")
    for name, doc in verbs()
}


def test_every_verb_that_writes_says_how() -> None:
    assert {name for name, way in SAID.items() if not way} == READS_OR_KEEPS_HOUSE
    assert {name for name, way in SAID.items() if way} == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_job_is_there_exactly_if_the_verb_says_so(name: str, tmp_path: Path) -> None:
    with Memory.open("memory:", embedder=HashEmbedder(), home=tmp_path) as memory:
        if name in FAIL_HERE:
            with suppress(QuipuError):
                CALLS[name](memory, tmp_path)
        else:
            CALLS[name](memory, tmp_path)
        assert bool(memory.jobs()) == (SAID[name] == "a job first")
