"""Measure a memory on everyday conversations: facts read, changes followed, questions answered.

    python -m bench.everyday_memory tuned      # the half that may be looked at
    python -m bench.everyday_memory kept       # the other: look at its figures only
    python -m bench.everyday_memory tuned --figures
    python -m bench.everyday_memory mine.txt   # another file of the format below

A file of `bench/everyday/` holds sessions (`@ day`), turns (`user: …`), the facts that a turn
states (`= owner ; attribute ; value`; `~` marks one that may be read and need not be), the changes
(`^ owner ; old ; new`) and questions asked at the end (`? question ; words of the answer`, `-`
where nothing was said; behind them sometimes words of the turn that tells it). A fact that was read
counts as right when owner and value are those of a fact of its turn; the attribute is for the
reader. Facts of a turn with one value are one fact, told of one owner or another: it is found, and
its change is followed, with any of them.
"""

import argparse
import lzma
import re
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory
from quipu.records.record import Fact
from quipu.text import stems

NEVER_SAID = "-"
REPLIES = {"yes": r"^yes\b", "no": r"^no\b|\bno longer\b|\bnot\b|n't\b"}
HALVES = tuple(
    f"{each}{half}"
    for each in ("", "written_", "third_", "fourth_", "fifth_")
    for half in ("tuned", "kept")
)
FOLDER = Path(__file__).parent / "everyday"
LAST = "2025-12-20T12:00:00.000Z"
SURE = 0.7
FIRST = 3


class Gold(NamedTuple):
    """A fact that a turn states; it need not be read where it is not `wanted`."""

    owner: str
    value: str
    wanted: bool
    attribute: str = ""


class Asked(NamedTuple):
    """A question, the words of its answer, and words of the turn that tells it (empty: not
    known)."""

    question: str
    words: str
    evidence: str = ""


@dataclass
class Said:
    """A turn with what it states."""

    session: str
    day: str
    role: str
    text: str
    facts: list[Gold] = field(default_factory=list)


@dataclass
class Set:
    """A whole file."""

    turns: list[Said] = field(default_factory=list)
    changes: list[tuple[str, str, str, int]] = field(default_factory=list)
    """Owner, old value, new value, and how many turns had been said when it was told."""
    questions: list[Asked] = field(default_factory=list)


def read(path: Path) -> Set:
    """The file at `path`, packed or plain."""
    packed = path.suffix == ".xz"
    data = lzma.decompress(path.read_bytes()) if packed else path.read_bytes()
    return read_text(data.decode("utf-8"))


def sets(path: Path) -> dict[str, Set]:
    """Those of an archive, by name."""
    with tarfile.open(path) as archive:
        return {
            Path(each.name).stem: read_text(archive.extractfile(each).read().decode())  # type: ignore[union-attr]
            for each in sorted(archive.getmembers(), key=lambda each: each.name)
            if each.isfile()
        }


def read_text(text: str) -> Set:
    """The set that a file's text describes."""
    found, day = Set(), ""
    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        parts = [part.strip() for part in rest.split(" ; ")]
        if mark == "@":
            day = rest
        elif mark in ("=", "~"):
            found.turns[-1].facts.append(Gold(parts[0], parts[-1], mark == "=", parts[1]))
        elif mark == "^":
            found.changes.append((parts[0], parts[1], parts[2], len(found.turns)))
            found.turns[-1].facts.append(Gold(parts[0], parts[1], False))  # that it ended
        elif mark == "?":
            found.questions.append(Asked(*parts))
        elif mark.endswith(":"):
            found.turns.append(Said(f"day-{day}", day, mark[:-1], rest))
    return found


def named(half: str) -> Path:
    """The file of a half; the later ones are packed, lest they be read by accident or indexed."""
    plain = FOLDER / f"{half}.txt"
    return plain if plain.exists() else FOLDER / f"{half}.txt.xz"


def write(memory: Memory, given: Set) -> None:
    """The turns, session by session."""
    for session in dict.fromkeys(turn.session for turn in given.turns):
        held = [turn for turn in given.turns if turn.session == session]
        turns = tuple(
            Turn(
                session_id=session,
                offset=n,
                speaker=each.role,
                role="assistant" if each.role == "assistant" else "user",
                text=each.text,
                time=f"{each.day}T10:{n:02}:00.000Z",
            )
            for n, each in enumerate(held, 1)
        )
        memory.ingest_sessions([Transcript(session_id=session, group=session, turns=turns)])


def same(gold: Gold, fact: Fact) -> bool:
    """Whether a fact says what is wanted, whichever side it is told from: "Ann is our treasurer"
    tells of Ann that she is the treasurer."""
    sides = {_words(fact.subject), _words(fact.object)}
    if fact.provenance.get("noun"):
        sides.add(_words(fact.predicate))
    owner, value = _words(gold.owner), _words(gold.value)
    return any(
        value <= one and (owner <= other or other <= owner)
        for one in sides
        for other in sides
        if one is not other or len(sides) == 1
    )


def _words(text: str) -> frozenset[str]:
    """By their stems; all of them where there are none but small ones: "we"."""
    return frozenset(stems(text)) or frozenset(text.lower().split())


def facts(memory: Memory, given: Set, *, show: bool) -> None:
    """Recall and precision of what was read."""
    read_in: dict[str, list[Fact]] = {}
    for fact in memory.facts():
        read_in.setdefault(str(fact.provenance.get("path")), []).append(fact)
    wanted = found = right = total = 0
    place: dict[str, int] = {}
    for turn in given.turns:
        place[turn.session] = place.get(turn.session, 0) + 1
        held = read_in.get(f"session:{turn.session}#{place[turn.session]}", [])
        missed = [
            g
            for g in turn.facts
            if g.wanted and not any(same(o, f) for o in _alike(g, turn) for f in held)
        ]
        wrong = [f for f in held if not any(same(g, f) for g in turn.facts)]
        wanted += sum(g.wanted for g in turn.facts)
        found += sum(g.wanted for g in turn.facts) - len(missed)
        total += len(held)
        right += len(held) - len(wrong)
        if show and (missed or wrong):
            print(f"  {turn.text}")
            for gold in missed:
                print(f"      missed {gold.owner} ; {gold.value}")
            for fact in wrong:
                print(f"      wrong  {fact.subject} | {fact.predicate} | {fact.object}")
    print(
        f"facts: {found} of {wanted} read ({100 * found / wanted:.0f} %), "
        f"{right} of {total} read ones right ({100 * right / max(total, 1):.0f} %)"
    )


def _alike(gold: Gold, turn: Said) -> list[Gold]:
    """The facts of a turn that tell the value of one, of whomever."""
    return [each for each in turn.facts if each.value.casefold() == gold.value.casefold()]


def _told_of(given: Set, owner: str, value: str) -> list[Gold]:
    """The facts by which turns tell a value of an owner."""
    gold = Gold(owner, value, True)
    alike = [
        each
        for turn in given.turns
        if any(o.owner == owner and o.value.casefold() == value.casefold() for o in turn.facts)
        for each in _alike(gold, turn)
    ]
    return list(dict.fromkeys((gold, *alike)))


def _places(given: Set) -> dict[str, int]:
    """Of the ref of each turn, how many were said up to it."""
    found: dict[str, int] = {}
    within: dict[str, int] = {}
    for count, turn in enumerate(given.turns, 1):
        within[turn.session] = within.get(turn.session, 0) + 1
        found[f"session:{turn.session}#{within[turn.session]}"] = count
    return found


def changes(memory: Memory, given: Set, *, show: bool) -> None:
    """How many old values have lost their place to the new, and how many others have."""
    live = memory.facts(live=True, as_of=LAST)
    every = memory.facts()
    done = 0
    changed: list[Gold] = []
    place = _places(given)
    for owner, old, new, said in given.changes:
        before, after = _told_of(given, owner, old), _told_of(given, owner, new)
        changed += before
        earlier = [f for f in every if place[str(f.provenance.get("path"))] < said]
        held = any(same(gold, fact) for gold in after for fact in every)
        known = any(same(gold, fact) for gold in before for fact in earlier)
        living = [fact for fact in earlier if fact in live]
        gone = not any(same(gold, fact) for gold in before for fact in living)
        done += held and gone and known
        if show and not (held and gone and known):
            print(f"      not followed: {owner} ; {old} → {new} ({held=}, {gone=}, {known=})")
    ended = [f for f in every if f.valid_from and f.fact_id not in {g.fact_id for g in live}]
    stated = [f for f in ended if f.valid_to is None]
    wrong = [f for f in stated if not any(same(gold, f) for gold in changed)]
    if show:
        for fact in wrong:
            print(f"      superseded: {fact.subject} | {fact.predicate} | {fact.object}")
    print(
        f"changes: {done} of {len(given.changes)} followed; "
        f"{len(wrong)} of {len(every)} facts wrongly superseded"
    )


def answers(words: str, answer: str) -> bool:
    """Whether an answer says what is wanted; a yes or no by a word of its own. Where nothing was
    said (`-`), no answer does."""
    sign = REPLIES.get(words, re.escape(words))
    return words != NEVER_SAID and re.search(sign, answer, re.IGNORECASE) is not None


def questions(memory: Memory, given: Set, *, show: bool) -> None:
    """Right, wrong and withheld answers; of facts at a time, of search, of the sure ones."""
    right = wrong = withheld = sure = sure_right = fact_right = fact_wrong = near = first = 0
    answerable = [q for q in given.questions if q.words != NEVER_SAID]
    for question, words, _ in given.questions:
        reply = memory.ask(question)
        answer = reply.contract.answer
        told = answer != "unknown"
        good = told and answers(words, answer)
        right, wrong = right + (told and good), wrong + (told and not good)
        withheld += not told
        first += told and answers(words, answer.partition(" [1")[0])
        if told and reply.confidence.value >= SURE:
            sure, sure_right = sure + 1, sure_right + good
        found = memory.facts.find(question)
        if found.known and words not in REPLIES:
            fact = found.matches[0].standing.fact
            hit = words.lower() in f"{fact.subject} {fact.object}".lower()
            fact_right, fact_wrong = fact_right + hit, fact_wrong + (not hit)
        texts = [hit.text.lower() for hit in memory.search(question).hits[:FIRST]]
        near += words != NEVER_SAID and any(words.lower() in text for text in texts)
        if show and not good and (told or words != NEVER_SAID):
            print(f"      {question} ({words}) → {answer[:90]} {reply.confidence.value:.2f}")
    print(
        f"ask: {right} right, {wrong} wrong, {withheld} withheld of {len(given.questions)} "
        f"({len(answerable)} answerable); sure ones right: {sure_right} of {sure}"
    )
    print(f"told first: what is right in {first} of {right}")
    dated = [q for q in answerable if q.words not in REPLIES]
    print(f"facts at a time: {fact_right} right, {fact_wrong} wrong of {len(dated)}")
    print(f"search: the turn is among the first {FIRST} for {near} of {len(answerable)}")


def main() -> None:
    """Write one half into a fresh memory and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", help=f"one of {', '.join(HALVES)}, or the path of a file")
    parser.add_argument("--figures", action="store_true", help="show no sentence and no answer")
    given = parser.parse_args()
    show = not given.figures and not given.half.endswith("kept")
    found = read(named(given.half) if given.half in HALVES else Path(given.half))
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "memory.db", clock=lambda: LAST) as memory,
    ):
        write(memory, found)
        facts(memory, found, show=show)
        changes(memory, found, show=show)
        questions(memory, found, show=show)


if __name__ == "__main__":
    main()
