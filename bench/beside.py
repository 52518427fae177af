"""Measure what a memory answers from documents and a chat that changes them.

    python -m bench.beside tuned            # four that may be looked at, with all that is not right
    python -m bench.beside kept             # the other four: their figures only

Each memory of `bench/beside.tar.xz` holds documents (prose, tables, lists, dated notes), a chat
that changes about ten things of them, half of them in other words, and 34 questions: what holds
`now`, what held `before`, what only a `doc` or the `chat` says, `since` when, `yesno`, and `none`,
which nobody said. Somebody wrote them who had not read the rules. Right is an answer whose first
sentence holds one of the accepted words, half one that holds them later.
"""

import argparse
import re
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

from quipu.memory import Memory

ARCHIVE = Path(__file__).parent / "beside.tar.xz"
HALVES = {"tuned": "abcd", "kept": "efgh"}
SURE = 0.7
NONE = "none"
_MARK = re.compile(r"\[\d+(?:,\d+)*\]")


def judged(kind: str, accepted: list[str], answer: str) -> str:
    """`right`, `half`, `wrong` or `withheld`."""
    if answer == "unknown":
        return "right" if kind == NONE else "withheld"
    if kind == NONE:
        return "wrong"
    first, whole = (_plain(text) for text in (_MARK.split(answer)[0], answer))
    signs = [re.compile(rf"(?<!\w){re.escape(_plain(each))}") for each in accepted]
    if any(sign.search(first) for sign in signs):
        return "right"
    return "half" if any(sign.search(whole) for sign in signs) else "wrong"


def _plain(text: str) -> str:
    return re.sub(r"[*_`’']", "", text.casefold().replace("–", "-"))


def measure(folder: Path, counts: Counter[tuple[str, str]], *, shown: bool) -> None:
    """Index the documents, read the chat, ask the questions; count by (kind, outcome)."""
    with Memory.open(folder / "quipu.db") as memory:
        memory.index(folder / "docs")
        memory.add_transcripts(folder / "chat.jsonl")
        for line in (folder / "questions.tsv").read_text("utf-8").splitlines():
            kind, question, accepted, *_ = line.split("\t")
            reply = memory.ask(question)
            answer = reply.contract.answer
            outcome = judged(kind, [each for each in accepted.split("|") if each.strip()], answer)
            counts[kind, outcome] += 1
            if reply.confidence.value >= SURE and answer != "unknown":
                counts["sure", outcome] += 1
            if shown and outcome != "right":
                print(
                    f"{outcome} {reply.confidence.value:.2f} {question} ({accepted}) {answer[:160]}"
                )


def main() -> None:
    """Measure one half and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=sorted(HALVES))
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder, tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
        for name in HALVES[given.half]:
            measure(Path(folder) / "beside" / name, counts, shown=given.half == "tuned")
    outcomes = ("right", "half", "wrong", "withheld")
    for kind in dict.fromkeys(kind for kind, _ in counts):
        print(f"{kind:8}", *(f"{each} {counts[kind, each]:3}" for each in outcomes))
    asked = Counter(
        {
            each: sum(n for (k, o), n in counts.items() if o == each and k != "sure")
            for each in outcomes
        }
    )
    print("all     ", *(f"{each} {asked[each]:3}" for each in outcomes), f"of {asked.total()}")


if __name__ == "__main__":
    main()
