"""Every verb whose documentation says that it is accepted as a job first makes one."""

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from threading import Event

import pytest
from tools.python_reference import WAYS

from quipu import Memory, Transcript
from quipu.kinds.conversations.model import Turn
from quipu.testing.fakes import HashEmbedder

LINE = json.dumps({"role": "user", "content": "We deploy every Tuesday."}) + "\n"
TASK = {"kind": "task", "id": "t1", "title": "Write the runbook", "status": "open"}
TURN = Turn(session_id="s", offset=1, speaker="Ann", role="user", text="We moved.")


def log(folder: Path) -> Path:
    path = folder / "s.jsonl"
    path.write_text(LINE, encoding="utf-8")
    return path


def followed(memory: Memory, folder: Path) -> object:
    stop = Event()
    stop.set()
    return list(memory.jobs.follow(log(folder), stop=stop))


CALLS: dict[str, Callable[[Memory, Path], object]] = {
    "add": lambda m, _: m.add("The ledger service depends on the rates service."),
    "ingest": lambda m, f: m.ingest(log(f)),
    "ingest_sessions": lambda m, _: m.ingest_sessions(
        [Transcript(session_id="s", group="s", turns=(TURN,))]
    ),
    "ingest_work": lambda m, _: m.ingest_work([TASK]),
    "ingest_urls": lambda m, _: m.ingest_urls("http://127.0.0.1:9/"),
    "jobs.follow": followed,
}


def jobs_first() -> Iterator[str]:
    """The verbs of a memory and of its nouns that say so."""
    (sentence,) = (said for said, way in WAYS.items() if way == "a job first")
    with Memory.open("memory:", embedder=None) as memory:
        nouns = [n for n, m in vars(Memory).items() if isinstance(m, cached_property)]
        for prefix, noun in [("", memory), *((f"{n}.", getattr(memory, n)) for n in nouns)]:
            for name, member in vars(type(noun)).items():
                said = " ".join((getattr(member, "__doc__", None) or "").split())
                if not name.startswith("_") and sentence in said:
                    yield prefix + name


def test_the_verbs_that_say_so_are_these() -> None:
    assert set(jobs_first()) == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_verb_that_says_so_makes_a_job(name: str, tmp_path: Path) -> None:
    with Memory.open("memory:", embedder=HashEmbedder(), home=tmp_path) as memory:
        CALLS[name](memory, tmp_path)
        assert memory.jobs()
