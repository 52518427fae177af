"""What a trial lets a warm process do that no command does."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import cast

__all__ = ["ingest_pages", "keep_secret", "read_namespace", "write_arf"]


def ingest_pages(port: str, urls: str) -> str:
    """Fetch `urls` (commas between them) from the pages that are laid at `port` of this machine,
    which `quipu ingest` would refuse to reach; the job's status."""
    from quipu.kinds.pages.network import Network
    from quipu.memory import Memory

    network = Network(
        ports=(int(port),), may_reach=lambda _: True, resolve=lambda *_: ["127.0.0.1"]
    )
    with Memory.open() as memory:
        memory.jobs.resume()
        return memory.ingest_urls(urls.split(","), network=network).status


def keep_secret(word: str, secret: str) -> int:
    """Put `secret` in the place of `word` in what the memory here holds, as a version did that did
    not know it for one; how many records."""
    from quipu.memory import Memory
    from quipu.transfer.export import lines_of
    from quipu.transfer.import_ import write_periods
    from quipu.transfer.lines import DECODER, ENCODER, VectorLine, period_of

    with Memory.open() as memory:
        with memory.store.moment():
            lines = [ENCODER.encode(line) for line in lines_of(memory.store, vectors=False)]
        changed = [line.replace(word.encode(), secret.encode()) for line in lines]
        records = [
            DECODER.decode(new) for new, old in zip(changed, lines, strict=True) if new != old
        ]
        periods = [period_of(each) for each in records if not isinstance(each, VectorLine)]
        write_periods(memory.store, periods, clock=memory.clock)
        return len(periods)


def write_arf(folder: Path, texts: Sequence[str]) -> None:
    """A folder as an earlier system kept it: a FAISS index of incidents and their texts."""
    import faiss  # type: ignore[import-untyped]

    from quipu.testing.fakes import HashEmbedder

    folder.mkdir(parents=True)
    index = faiss.IndexFlatL2(32)
    index.add(HashEmbedder(32).embed(list(texts)))
    faiss.write_index(index, str(folder / "incident_vectors.index"))
    (folder / "incident_texts.json").write_text(json.dumps(list(texts)))


def read_namespace(name: str, seed: str, reads: str) -> tuple[list[str], int]:
    """Ask and read in the namespace `name` of the memory here; what leaked, and how many reads."""
    from bench.torture.namespaces import leaked, question
    from quipu.config import Config
    from quipu.errors import QuipuError
    from quipu.memory import Memory
    from quipu.testing.fakes import HashEmbedder

    dice, leaks = random.Random(seed), list[str]()
    with Memory.open(
        Path(".quipu/quipu.db"),
        namespace=name,
        config=Config(),
        embedder=HashEmbedder(),
        read_only=True,
    ) as memory:
        looks = (
            memory.search,
            memory.search,
            memory.search,
            memory.ask,
            memory.get,
            memory.facts.history,
            lambda _: memory.facts(),
            lambda _: memory.store.scan("entity"),
            lambda _: memory.store.changes(0),
            lambda asked: memory.store.named([asked]),
        )
        for _ in range(int(reads)):
            asked, look = question(dice), dice.choice(looks)
            try:
                reply = str(look(asked))
            except QuipuError as error:
                reply = str(error)
            if found := leaked(reply, name, asked):
                leaks.append(f"{look} with {asked!r} gives {found}")
    return leaks, int(reads)


def write_for(name: str, seed: str, seconds: str) -> dict[str, object]:
    """Write one thing after another for so many seconds, one at least.

    `kept` is what was acknowledged, by a word that only it holds; `erased` what was forgotten.
    """
    from quipu.agents.entries import Entries
    from quipu.memory import Memory

    kept: dict[str, str] = {}
    erased: list[str] = []
    with Memory.open() as memory:
        entries = Entries(memory)

        def text(mark: str) -> None:
            memory.add(f"{mark} owns the payment service.")

        def turns(mark: str) -> None:
            rows = [{"role": "user", "content": f"{mark} moved shelf {n}."} for n in range(4)]
            memory.add(cast("list[dict[str, object]]", rows), session_id=mark)

        def entry(mark: str) -> None:
            entries.store(f"{mark} is what {name} decided.", category="decision")

        def relation(mark: str) -> None:
            for end in (mark, f"{mark}-next"):
                memory.add(f"{end} is tied.", source_ref=f"note:{end}")
            memory.relate(f"note:{mark}", "depends_on", f"note:{mark}-next")

        def file(mark: str) -> None:
            Path(f"{mark}.md").write_text(f"# {mark}\n\n{mark} is a file.\n")
            memory.index([Path(f"{mark}.md")])

        def forget(mark: str) -> None:
            memory.forget([str(memory.add(f"{mark} is forgotten."))])

        ways = (text, text, turns, entry, relation, file, forget)
        for number, way, failure in _in_turn(ways, seed, seconds, lambda n: f"zq{name}x{n}q"):
            mark = f"zq{name}x{number}q"
            if failure:
                return {"actions": number, "kept": kept, "erased": erased, "failures": [failure]}
            if way is forget:
                erased.append(mark)
            else:
                kept[mark] = way.__name__
    return {"actions": len(kept) + len(erased), "kept": kept, "erased": erased, "failures": []}


def read_for(name: str, seed: str, seconds: str) -> dict[str, object]:
    """Read in every way for so many seconds, once at least; what failed."""
    from quipu.memory import Memory

    with Memory.open() as memory:

        def other(_: str) -> None:
            with Memory.open(read_only=True) as opened:
                opened.search("shelf")

        ways: tuple[Callable[[str], object], ...] = (
            lambda n: memory.search(f"who owns shelf {n}"),
            lambda _: memory.ask("Who owns the payment service?"),
            lambda _: memory.facts(),
            lambda _: memory.stats(),
            lambda _: memory.validate(),
            lambda _: memory.export(f"r{name}.jsonl", overwrite=True),
            other,
        )
        done = list(_in_turn(ways, seed, seconds, str))
    failures = [failure for _, _, failure in done if failure]
    return {"actions": len(done), "kept": {}, "erased": [], "failures": failures}


def _in_turn(
    ways: Sequence[Callable[[str], object]],
    seed: str,
    seconds: str,
    given: Callable[[int], str],
) -> Iterator[tuple[int, Callable[[str], object], str]]:
    """Call one of `ways` after another for so many seconds, once at least: the number of each,
    which it was, and what failed."""
    dice, ends = random.Random(seed), time.monotonic() + float(seconds)
    for number in count(1):
        way, failure = dice.choice(ways), ""
        try:
            way(given(number))
        except Exception as error:  # noqa: BLE001 - whatever fails is what the trial looks for
            failure = f"{way.__name__}: {type(error).__name__}: {error}"
        yield number, way, failure
        if time.monotonic() >= ends:
            return
