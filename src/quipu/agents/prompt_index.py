"""The prompt index: what this memory holds, on one bounded page an agent can always carry.

What always holds comes first (`agents/brief.py`), then entries, by priority and then the newest,
then documents, conversations and the subjects most is known about. It names what there is;
`memory_recall` and `memory_search` fetch it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from quipu.agents.brief import brief
from quipu.agents.budget import CHARACTERS_A_TOKEN, cut
from quipu.agents.entries import PRIORITIES, Entries, Entry, entry_scope, is_expired
from quipu.ports import every
from quipu.records.entry import CATEGORIES
from quipu.records.record import Chunk
from quipu.when.instants import UNKNOWN_TIME

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["live_entries", "prompt_index"]

BUDGET_TOKENS = 1500

_LINE = 160
_MOST_ENTRIES = 2_000
_MOST_FOLDERS = 12
_MOST_SUBJECTS = 20


def prompt_index(memory: "Memory", entries: Entries, *, budget_tokens: int = BUDGET_TOKENS) -> str:
    """The page, within `budget_tokens` (4 characters a token); what does not fit is counted."""
    room = budget_tokens * CHARACTERS_A_TOKEN
    lines: list[str] = []
    left_out = 0
    for line in _lines(memory, entries):
        if len(line) + 1 > room - _LINE:
            left_out += 1
            continue
        lines.append(line)
        room -= len(line) + 1
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
    live = live_entries(memory, entries)
    if always := brief(memory, live).text:
        yield ""
        yield from always.replace("\n\n- ", "\n- ").split("\n")
    yield from _entry_lines(live)
    yield from _source_lines(memory)
    yield from _subject_lines(memory)


def live_entries(memory: "Memory", entries: Entries, categories: Sequence[str] = ()) -> list[Entry]:
    """The entries of some categories (by default all) that still hold, at most 2,000."""
    chunks = every(memory.store, Chunk, scope=entry_scope(categories))
    ids = dict.fromkeys(chunk.document_id for chunk in islice(chunks, _MOST_ENTRIES))
    now = memory.clock()
    found = entries.of_documents(list(ids)).values()
    return [entry for entry in found if not is_expired(entry.expires, now)]


def _entry_lines(found: list[Entry]) -> Iterator[str]:
    newest = sorted(found, key=lambda e: (e.stored_at, e.id), reverse=True)
    ordered = sorted(newest, key=lambda e: PRIORITIES.index(e.priority))
    of = Counter(entry.category for entry in found)
    if not found:
        return
    yield ""
    counts = ", ".join(f"{of[category]} {category}" for category in CATEGORIES if of[category])
    yield f"## Entries ({counts})"
    yield ""
    for entry in ordered:
        said = " ".join(entry.content.split())
        yield cut(f"- [{entry.priority} {entry.category}] {said}", _LINE)


def _source_lines(memory: "Memory") -> Iterator[str]:
    folders: Counter[str] = Counter()
    sessions: set[str] = set()
    for source in memory.store.sources():
        if source.source_type == "session":
            sessions.add(source.source_ref.partition("#")[0])
        elif source.source_type == "file":
            folders[source.source_ref.rpartition("/")[0] or "."] += 1
    if folders:
        yield ""
        yield f"## Documents ({sum(folders.values())})"
        yield ""
        for folder, count in sorted(folders.items(), key=lambda f: (-f[1], f[0]))[:_MOST_FOLDERS]:
            yield cut(f"- {folder}/ ({count})", _LINE)
    if sessions:
        yield ""
        yield f"## Conversations ({len(sessions)})"
        yield ""
        for session in sorted(sessions)[-_MOST_FOLDERS:]:
            yield cut(f"- {session}", _LINE)


def _subject_lines(memory: "Memory") -> Iterator[str]:
    counts: Counter[str] = Counter()
    newest = UNKNOWN_TIME
    for fact in memory.facts():
        counts[fact.subject] += 1
        newest = max(newest, fact.updated_at)
    if not counts:
        return
    yield ""
    yield f"## Known about ({len(counts)} subjects, last told {newest[:10]})"
    yield ""
    most = sorted(counts.items(), key=lambda s: (-s[1], s[0]))[:_MOST_SUBJECTS]
    yield cut("- " + "; ".join(f"{subject} ({count})" for subject, count in most), 4 * _LINE)
