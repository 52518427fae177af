"""What a trial lets a warm process do that no command does."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["give_vectors", "ingest_pages", "keep_secret", "read_namespace", "write_arf"]


def ingest_pages(port: str, urls: str) -> str:
    """Fetch `urls` (commas between them) from the pages that are laid at `port` of this machine,
    which `quipu ingest` would refuse to reach; the job's status."""
    from quipu.kinds.pages.crawl import Network
    from quipu.memory import Memory

    network = Network(
        ports=(int(port),), may_reach=lambda _: True, resolve=lambda *_: ["127.0.0.1"]
    )
    with Memory.open() as memory:
        memory.resume()
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


def give_vectors() -> int:
    """Embed what the memory in this folder holds, by hashing words; how many vectors."""
    from quipu.memory import Memory
    from quipu.testing.fakes import HashEmbedder

    with Memory.open(embedder=HashEmbedder()) as memory:
        memory.index()
        memory.search("who owns Service-3")
        return sum(memory.store.spaces().values())


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
            memory.history,
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

    dice = random.Random(seed)
    kept: dict[str, str] = {}
    erased: list[str] = []
    failures: list[str] = []
    actions, ends = 0, time.monotonic() + float(seconds)
    with Memory.open() as memory:
        entries = Entries(memory)
        while not actions or time.monotonic() < ends:
            actions += 1
            mark = f"zq{name}x{actions}q"
            try:
                kind = dice.choice(("text", "text", "turns", "entry", "relation", "file", "forget"))
                match kind:
                    case "text":
                        memory.add(f"{mark} owns the payment service.")
                    case "turns":
                        said: list[dict[str, object]] = [
                            {"role": "user", "content": f"{mark} moved shelf {n} in 2025."}
                            for n in range(4)
                        ]
                        memory.add(said, session_id=f"{name}-{actions}")
                    case "entry":
                        entries.store(f"{mark} is what {name} decided.", category="decision")
                    case "relation":
                        for end in (mark, f"{mark}-next"):
                            memory.add(f"{end} is tied.", source_ref=f"note:{end}")
                        memory.relate(f"note:{mark}", "depends_on", f"note:{mark}-next")
                    case "file":
                        Path(f"w{name}-{actions}.md").write_text(f"# {mark}\n\n{mark} is a file.\n")
                        memory.index([Path(f"w{name}-{actions}.md")])
                    case _:
                        episode = memory.add(f"{mark} is forgotten.")
                        memory.forget([str(episode)])
                        erased.append(mark)
                        continue
                kept[mark] = kind
            except Exception as error:  # noqa: BLE001 - whatever fails is what the trial looks for
                failures.append(f"{kind}: {type(error).__name__}: {error}")
    return {"actions": actions, "kept": kept, "erased": erased, "failures": failures}


def read_for(name: str, seed: str, seconds: str) -> dict[str, object]:
    """Read in every way for so many seconds, once at least; what failed."""
    from quipu.memory import Memory

    dice = random.Random(seed)
    failures: list[str] = []
    actions, ends = 0, time.monotonic() + float(seconds)
    with Memory.open() as memory:
        while not actions or time.monotonic() < ends:
            actions += 1
            kind = dice.choice(("search", "ask", "facts", "stats", "validate", "export", "open"))
            try:
                match kind:
                    case "search":
                        memory.search(f"who owns shelf {actions}")
                    case "ask":
                        memory.ask("Who owns the payment service?")
                    case "facts":
                        memory.facts()
                    case "stats":
                        memory.stats()
                    case "validate":
                        memory.validate()
                    case "export":
                        memory.export(f"r{name}.jsonl", overwrite=True)
                    case _:
                        with Memory.open(read_only=True) as other:
                            other.search("shelf")
            except Exception as error:  # noqa: BLE001 - whatever fails is what the trial looks for
                failures.append(f"{kind}: {type(error).__name__}: {error}")
    return {"actions": actions, "kept": {}, "erased": [], "failures": failures}
