"""Trials of damage: one bit of a memory's files is flipped, and every use of it is watched.

A use may do what it did before, or say that there is damage (an error of Quipu's own, a note); it
never does something else. What lies in the database or the ledger, `damage` sees.
"""

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from quipu.errors import CorruptStore, QuipuError
from quipu.handle.home import DATABASE, find_home
from quipu.ledger import LEDGER
from quipu.memory import Memory
from quipu.memory.recovery import damage
from quipu.records.passage import PassageInput
from quipu.testing.fakes import HashEmbedder

__all__ = ["USES", "DamageTrial", "Flip", "flips", "make_memory", "trials"]

_DAMAGED = (".db", ".vectors")
_TOWNS = ("Arica", "Cusco", "Lima", "Puno", "Tacna")
_INSTANT = "2026-03-01T10:00:00.000Z"

Use = Callable[[Path], object]
"""What is done with the memory in a folder; its result is compared."""


class Flip(NamedTuple):
    """One bit (0 to 7) of the byte at `offset` of a file, by its path in the folder."""

    path: str
    offset: int
    bit: int


class DamageTrial(NamedTuple):
    """What became of every use (`same`, `refused`, `different` or the name of a raw exception)
    and whether the damage was seen."""

    flip: Flip
    outcomes: dict[str, str]
    seen: bool

    @property
    def passed(self) -> bool:
        """Nothing was different, nothing raw, and what had to be seen was."""
        clean = all(outcome in ("same", "refused") for outcome in self.outcomes.values())
        return clean and (self.seen or Path(self.flip.path).name not in ("quipu.db", LEDGER))


def make_memory(folder: Path, passages: int) -> None:
    """A closed memory in `folder`, of so many passages; from 1,000 on with a file of vectors."""
    with _opened(folder) as memory:
        memory.add_documents(
            PassageInput(
                source_ref=f"note:{n}",
                text=f"Report {n}: the road to {_TOWNS[n % 5]} was closed for {n} days.",
            )
            for n in range(passages)
        )
        memory.add("Ana moved to Puno in May 2024.", source_ref="manual:ana")
        memory.search("road to Puno")


def _opened(folder: Path, *, read_only: bool = False) -> Memory:
    return Memory.open(
        folder / DATABASE,
        home=folder,
        embedder=HashEmbedder(),
        clock=lambda: _INSTANT,
        read_only=read_only,
    )


def _search(folder: Path) -> object:
    with _opened(folder, read_only=True) as memory:
        found = [memory.search(f"road to {town}", limit=20) for town in _TOWNS]
    # Where the graph cannot be read, plain search stands in for it and a note says why.
    for note in (note for each in found for note in each.notes if "damaged" in note):
        raise CorruptStore(note)
    return [each.hits for each in found]


def _ask(folder: Path) -> object:
    with _opened(folder, read_only=True) as memory:
        return memory.ask("Where did Ana move?")


def _export(folder: Path) -> object:
    written = folder / "export.jsonl"
    with _opened(folder, read_only=True) as memory:
        memory.export(written, vectors=True)
    return written.read_bytes()


def _add(folder: Path) -> object:
    with _opened(folder) as memory:
        memory.add("Ben stayed in Lima.", source_ref="manual:ben")
        return memory.stats().counts


USES: dict[str, Use] = {"search": _search, "ask": _ask, "export": _export, "add": _add}
"""What a memory that `make_memory` made is used for."""


def flips(folder: Path, count: int, *, seed: int) -> list[Flip]:
    """Bits anywhere in the files under `folder`: every other one in `quipu.db`, the rest in all
    databases and vector files in turn."""
    draw = random.Random(seed)
    found = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.stat().st_size]
    kept = [p for p in found if p.suffix in _DAMAGED]
    memory = next(p for p in kept if p.name == "quipu.db")
    chosen = (memory if n % 2 else kept[n // 2 % len(kept)] for n in range(count))
    return [
        Flip(p.relative_to(folder).as_posix(), draw.randrange(p.stat().st_size), draw.randrange(8))
        for p in chosen
    ]


def trials(
    folder: Path, uses: Mapping[str, Use], chosen: list[Flip], *, scratch: Path
) -> Iterator[DamageTrial]:
    """Every flip on its own, in copies of `folder` (which holds a closed memory) under
    `scratch`."""
    place = scratch / "memory"
    expected = {name: _in_copy(folder, place, use) for name, use in uses.items()}
    for flip in chosen:
        outcomes: dict[str, str] = {}
        for name, use in uses.items():
            outcomes[name] = _outcome(folder, place, flip, use, expected[name])
        _damaged_copy(folder, place, flip)
        yield DamageTrial(flip, outcomes, bool(list(damage(find_home(None, place)))))


def _in_copy(folder: Path, place: Path, use: Use) -> object:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    return use(place)


def _damaged_copy(folder: Path, place: Path, flip: Flip) -> None:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    with (place / flip.path).open("r+b") as stream:
        stream.seek(flip.offset)
        byte = stream.read(1)[0]
        stream.seek(flip.offset)
        stream.write(bytes([byte ^ 1 << flip.bit]))


def _outcome(folder: Path, place: Path, flip: Flip, use: Use, expected: object) -> str:
    _damaged_copy(folder, place, flip)
    try:
        return "same" if use(place) == expected else "different"
    except QuipuError:
        return "refused"
    except Exception as error:  # noqa: BLE001  a raw one is what is looked for
        return type(error).__name__
