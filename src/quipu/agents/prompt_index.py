"""The prompt index: what this memory holds, on one bounded page an agent can always carry.

What always holds comes first (`agents/brief.py`), then entries, by priority and then the newest,
then documents, conversations and the subjects most is known about. It names what there is;
`memory_recall` and `memory_search` fetch it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.agents.brief import brief
from quipu.agents.budget import CHARACTERS_A_TOKEN, cut, within
from quipu.agents.entries import Entries, by_priority
from quipu.records.refs import CATEGORIES
from quipu.when.instants import UNKNOWN_TIME

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["prompt_index"]

BUDGET_TOKENS = 1500

_LINE = 160
_MOST_FOLDERS = 12
_MOST_SUBJECTS = 20


def prompt_index(memory: "Memory", entries: Entries, *, budget_tokens: int = BUDGET_TOKENS) -> str:
    """The page, within `budget_tokens` (4 characters a token); what does not fit is counted."""
    room = budget_tokens * CHARACTERS_A_TOKEN - _LINE
    lines, left_out = within(_lines(memory, entries), room, lambda line, _: len(line) + 1)
    if left_out:
        lines.append(f"({left_out} more lines do not fit; memory_recall finds the rest)")
    return "\n".join(lines)


def _lines(memory: "Memory", entries: Entries) -> Iterator[str]:
    counts = memory.store.counts(["episode", "chunk", "entity", "relation", "fact"])
    yield "# What this memory holds"
    yield ""
    yield (
        f"{counts['chunk']} passages, {counts['entity']} things, {counts['relation']} relations, "
        f"{counts['fact']} dated facts. Recall with memory_recall (entries) or memory_search "
        "(everything); read a place with memory_get."
    )
    live = entries.live()
    if always := brief(memory, live).text:
        yield ""
        yield from always.replace("\n\n- ", "\n- ").split("\n")
    of = Counter(entry.category for entry in live)
    counted = ", ".join(f"{of[category]} {category}" for category in CATEGORIES if of[category])
    yield from _section(
        f"Entries ({counted})",
        [
            f"- [{entry.priority} {entry.category}] {' '.join(entry.content.split())}"
            for entry in by_priority(live)
        ],
    )
    folders: Counter[str] = Counter()
    sessions: set[str] = set()
    for source in memory.store.sources():
        if source.source_type == "session":
            sessions.add(source.source_ref.partition("#")[0])
        elif source.source_type == "file":
            folders[source.source_ref.rpartition("/")[0] or "."] += 1
    largest = sorted(folders.items(), key=lambda folder: (-folder[1], folder[0]))[:_MOST_FOLDERS]
    yield from _section(
        f"Documents ({sum(folders.values())})", [f"- {name}/ ({n})" for name, n in largest]
    )
    yield from _section(
        f"Conversations ({len(sessions)})",
        [f"- {session}" for session in sorted(sessions)[-_MOST_FOLDERS:]],
    )
    yield from _subjects(memory)


def _section(title: str, lines: Sequence[str], *, longest: int = _LINE) -> Iterator[str]:
    if lines:
        yield from ("", f"## {title}", "", *(cut(line, longest) for line in lines))


def _subjects(memory: "Memory") -> Iterator[str]:
    facts = memory.facts()
    counts = Counter(fact.subject for fact in facts)
    newest = max((fact.updated_at for fact in facts), default=UNKNOWN_TIME)
    most = sorted(counts.items(), key=lambda subject: (-subject[1], subject[0]))[:_MOST_SUBJECTS]
    line = "- " + "; ".join(f"{subject} ({count})" for subject, count in most)
    title = f"Known about ({len(counts)} subjects, last told {newest[:10]})"
    yield from _section(title, [line] if most else [], longest=4 * _LINE)
