"""Measure what a memory answers once something has ended, was replaced, corrected or never was.

    python -m bench.ended tuned             # the half that may be looked at
    python -m bench.ended kept              # the other: look at its figures only
    python -m bench.ended mixed             # questions of every kind: look at its figures only
    python -m bench.ended tuned --shown     # with every answer that is not right
    python -m bench.ended tuned --entries   # as entries of `add`, not as turns of sessions

A line of `bench/ended_*.jsonl.xz` is one small memory: what was said (day, speaker, words), a
question as of now, what a right answer holds (one of several, between `|`; `no` is the reply, and
`unknown` none), and whether what was told first *ended*, was *replaced*, was *corrected*, was
*kept* in spite of what sounds like an end, or *never* was. Other people wrote them, by hand, who
had not read the rules. `bench/ended.tar.xz` holds 480 more as sets to learn from
(`bench/teach_answering.py`).
"""

import argparse
import json
import lzma
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

NOW = "2026-12-01T12:00:00.000Z"
SURE = 0.7
FOLDER = Path(__file__).parent
HALVES = {
    "tuned": "ended_tuned.jsonl.xz",
    "kept": "ended_kept.jsonl.xz",
    "mixed": "mixed_kept.jsonl.xz",
}


class Case(NamedTuple):
    """What was said, what is asked, what a right answer holds, and what became of it."""

    said: list[tuple[str, str, str]]
    question: str
    right: str
    kind: str


def read(path: Path) -> Iterator[Case]:
    """The cases of a file."""
    for line in lzma.decompress(path.read_bytes()).decode().splitlines():
        row = json.loads(line)
        said = [(day, speaker, text) for day, speaker, text in row["said"]]
        yield Case(said, row["ask"], row["right"], row["kind"])


def asked(case: Case, *, entries: bool) -> tuple[str, float]:
    """What is answered, and how sure."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "memory.db", clock=lambda: NOW) as memory,
    ):
        if entries:
            for place, (day, speaker, text) in enumerate(case.said):
                kept = {"speaker": speaker}
                memory.add(text, observed_at=day, source_ref=f"note:{place}", properties=kept)
        else:
            memory.ingest_sessions(sessions(case))
        reply = memory.ask(case.question)
        return reply.contract.answer, reply.confidence.value


def sessions(case: Case) -> list[Transcript]:
    """One a day."""
    days: dict[str, list[Turn]] = {}
    for day, speaker, text in case.said:
        turns = days.setdefault(day, [])
        place = len(turns) + 1
        time = f"{day}T10:{place:02}:00.000Z"
        turns.append(
            Turn(session_id=day, offset=place, speaker=speaker, role="user", text=text, time=time)
        )
    return [
        Transcript(session_id=day, group="all", started_at=f"{day}T10:00:00.000Z", turns=tuple(t))
        for day, t in days.items()
    ]


def is_right(right: str, answer: str) -> bool:
    """Whether an answer holds one of what a right one may."""
    low = answer.lower()
    for each in (part.strip().lower() for part in right.split("|")):
        if each == "unknown":
            found = low.startswith("unknown")
        elif each == "no":
            found = re.match(r"no\b", low) is not None
        else:
            found = bool(each) and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", low) is not None
        if found:
            return True
    return False


def main() -> None:
    """Print how many of each kind are right, withheld and wrong, and how many sure ones right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=HALVES)
    parser.add_argument("--entries", action="store_true")
    parser.add_argument("--shown", action="store_true")
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    sure: list[bool] = []
    for case in read(FOLDER / HALVES[given.half]):
        answer, confidence = asked(case, entries=given.entries)
        unknown = answer.startswith("unknown")
        right = is_right(case.right, answer)
        state = "withheld" if unknown else "right" if right else "wrong"
        counts[case.kind, state] += 1
        if confidence >= SURE and not unknown:
            sure.append(right)
        if given.shown and not right:
            print(f"{case.kind} {confidence:.2f} {case.question}\n    {answer}")
    for kind in dict.fromkeys(kind for kind, _ in sorted(counts)):
        row = [counts[kind, state] for state in ("right", "wrong", "withheld")]
        print(f"{kind:10} right {row[0]:3} wrong {row[1]:3} withheld {row[2]:3}")
    totals = [sum(n for (_, s), n in counts.items() if s == t) for t in ("right", "wrong")]
    print(f"all        right {totals[0]:3} wrong {totals[1]:3} of {sum(counts.values())}")
    print(f"sure       right {sum(sure):3} of {len(sure)}")


if __name__ == "__main__":
    main()
