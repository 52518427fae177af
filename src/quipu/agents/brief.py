"""The brief: what an agent should know whatever it is asked, on a few bounded lines.

Standing instructions, what is preferred and was decided, what is open, who the user is and what is
stated of anything else, each of what holds now, with its day: what is stated before what was only
read, newest first. What another statement took the place of is not in it, nor what was read with
doubt, nor what only a page or a tool says: whoever writes a page would instruct the agent.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.agents.budget import CHARACTERS_A_TOKEN, cut, tokens, within
from quipu.agents.entries import Entry, by_priority, said_on
from quipu.answer.dated_facts import undated
from quipu.answer.wording import shown
from quipu.errors import InvalidInput
from quipu.facts.attributes import SHIPPED
from quipu.facts.chains import standings
from quipu.facts.fit import is_sure
from quipu.facts.keys import is_stated, only_proposes
from quipu.kinds.work.model import is_closed
from quipu.limits import SHOWN_LINE
from quipu.records.record import Fact
from quipu.records.schema import EntityType
from quipu.text import name_key, stems

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["BRIEF_TOKENS", "Brief", "brief"]

BRIEF_TOKENS = 800
"""How long a brief is where nothing else is said."""

_LEAST = 20
_USER, _GROUP = "user", "we"
_INSTRUCTS = "instructs"
_PREFERRED = frozenset(
    "likes,not likes,prefers,diet,is allergic to,is intolerant to,eats,not eats,drinks,not drinks,"
    "speaks".split(",")
)
_TITLES = {
    "instruct": "Instructions",
    "rule": "Instructions",
    "prefer": "Preferences",
    "favorit": "Preferences",
    "favourit": "Preferences",
    "decis": "Decisions",
    "decid": "Decisions",
}
"""The section of a fact by a stem of its attribute."""
_OF_ALL = frozenset({"Instructions", "Decisions"})
"""What is so titled counts whoever it is of."""
_WORK = ("goal:", "task:")
_SECTIONS = (
    *("Instructions", "Preferences", "Decisions", "Open work", "Profile", "Current values", "We"),
)
_AT_ONCE = 8
"""So many lines a section are chosen before more of the one before it."""
_STORED = frozenset({"Instructions", "Preferences", "Decisions"})


class BriefLine(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that holds."""

    text: Annotated[str, "what holds, as a sentence"]
    source_ref: Annotated[str, "the source that says so"]
    since: Annotated[str, "when it was said or began, as a date; empty where nobody knows"]


class BriefSection(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one kind, newest first."""

    title: Annotated[
        str,
        "`Instructions`, `Preferences`, `Decisions`, `Open work`, `Profile`, `Current values` "
        "or `We`",
    ]
    lines: Annotated[tuple[BriefLine, ...], "what holds"]


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent should know whatever it is asked."""

    sections: Annotated[tuple[BriefSection, ...], "those that have lines"]
    text: Annotated[str, "the sections as Markdown"]
    token_count: Annotated[int, "about how many tokens the text has"]
    left_out: Annotated[int, "how many lines the budget kept out"]


_Row = tuple[str, BriefLine]
"""A line and the title of its section."""


def brief(
    memory: "Memory",
    entries: Iterable[Entry] = (),
    *,
    about: str = _USER,
    budget_tokens: int = BRIEF_TOKENS,
) -> Brief:
    """What holds now of `about` (by default the user, and what is stated of anything), of the group
    and of open work.

    `entries` are those that still hold; their instructions, preferences and decisions count too.
    Of each section some lines are chosen before more of any, instructions first. Raises
    InvalidInput for a blank `about` or a budget below 20 tokens (4 characters each).
    """
    if not about.strip():
        raise InvalidInput("there is nobody to be brief about: give a name, or leave it out")
    if budget_tokens < _LEAST:
        raise InvalidInput(
            f"a brief of {budget_tokens} tokens holds nothing: give {_LEAST} or more"
        )
    now = memory.clock()
    lines: dict[str, list[BriefLine]] = {title: [] for title in _SECTIONS}
    for entry in by_priority(entries):
        if (title := f"{entry.category.capitalize()}s") in _STORED:
            text = cut(" ".join(entry.content.split()), SHOWN_LINE)
            since = (said_on(entry) or entry.stored_at)[:10]
            lines[title].append(BriefLine(text=text, source_ref=entry.id, since=since))
    newest = sorted(memory.facts(as_of=now, live=True), key=_place, reverse=True)
    for fact in sorted(newest, key=lambda f: (not is_stated(f), not SHIPPED.knows(f.predicate))):
        if is_sure(fact) and not only_proposes(fact) and (title := _section_of(fact, about)):
            lines[title].append(_line(fact))
    lines["Open work"] = list(_open_work(memory, now))
    told = [
        (number // _AT_ONCE, (title, line))
        for title in _SECTIONS
        for number, line in enumerate(_said_once(lines[title]))
    ]
    rows = [row for _, row in sorted(told, key=lambda each: each[0])]
    kept, left_out = within(rows, budget_tokens * CHARACTERS_A_TOKEN, _cost)
    kept.sort(key=lambda row: _SECTIONS.index(row[0]))
    sections = tuple(
        BriefSection(title=title, lines=tuple(line for _, line in group))
        for title, group in groupby(kept, key=lambda row: row[0])
    )
    text = _page(kept)
    return Brief(sections=sections, text=text, token_count=tokens(text), left_out=left_out)


def _page(rows: Iterable[_Row]) -> str:
    """The rows as Markdown, a heading for each section."""
    return "\n\n".join(
        _heading(title) + "\n".join(_item(line) for _, line in group)
        for title, group in groupby(rows, key=lambda row: row[0])
    )


def _cost(row: _Row, chosen: Sequence[_Row]) -> int:
    """How many characters a row adds to the page."""
    title, line = row
    if any(title == known for known, _ in chosen):
        return len("\n") + len(_item(line))
    return len("\n\n" if chosen else "") + len(_heading(title)) + len(_item(line))


def _heading(title: str) -> str:
    return f"## {title}\n\n"


def _item(line: BriefLine) -> str:
    return f"- {line.text}{f' ({line.since})' if line.since else ''}"


def _place(fact: Fact) -> tuple[str, str, int, str]:
    path, start = fact.provenance.get("path"), fact.provenance.get("start")
    return fact.updated_at, str(path), start if isinstance(start, int) else 0, fact.fact_id


def _said_once(lines: Iterable[BriefLine]) -> list[BriefLine]:
    """The lines without those that say what another of their source says already: a fact that is
    read from an entry is told by that."""
    kept: dict[frozenset[str], BriefLine] = {}
    said_by: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    for line in lines:
        words = frozenset(stems(line.text)) - {_USER}
        if words not in kept and not any(words <= known for known in said_by[line.source_ref]):
            kept[words] = line
            said_by[line.source_ref].append(words)
    return list(kept.values())


def _section_of(fact: Fact, about: str) -> str:
    """The section that a fact stands in; empty for one of nobody who is asked about."""
    attribute, subject = SHIPPED.attribute_of(fact.predicate), name_key(fact.subject)
    if fact.predicate == _INSTRUCTS:
        return "Instructions" if subject == _USER else ""
    titles = (_TITLES.get(stem, "") for stem in stems(fact.predicate))
    title = "Preferences" if attribute in _PREFERRED else next(filter(None, titles), "")
    if title and (subject in (_USER, _GROUP) or (title in _OF_ALL and is_stated(fact))):
        return title
    if _is_about(fact, about):
        return "Profile"
    if is_stated(fact) and about == _USER:
        return "Current values"
    return "We" if _is_about(fact, _GROUP) and not _is_work(fact) else ""


def _line(fact: Fact) -> BriefLine:
    text = fact.object if fact.predicate == _INSTRUCTS else _text(fact)
    since = (fact.valid_from or fact.updated_at)[:10]
    return BriefLine(
        text=cut(" ".join(text.split()), SHOWN_LINE),
        source_ref=str(fact.provenance.get("path") or ""),
        since="" if since.startswith("0001") else since,
    )


def _text(fact: Fact) -> str:
    """What a fact says; of one that is stated, its key and its value."""
    if not is_stated(fact):
        return undated(fact)
    subject = "" if name_key(fact.subject) == _USER else fact.subject
    return f"{subject} {fact.predicate.replace('_', ' ')}: {fact.object}"


def _is_about(fact: Fact, name: str) -> bool:
    """Whether a fact is of somebody, or of what is theirs: "user's sister"."""
    theirs = fact.subject.casefold().startswith(f"{name.casefold()}'s ")
    return theirs or name_key(fact.subject) == name_key(name)


def _is_work(fact: Fact) -> bool:
    return str(fact.provenance.get("path", "")).startswith(_WORK)


def _open_work(memory: "Memory", now: str) -> Iterator[BriefLine]:
    """Goals and tasks whose status is none of those of work that is over."""
    statuses = [fact for fact in memory.graph.facts(predicate="status") if _is_work(fact)]
    begun = [fact for fact in statuses if (fact.valid_from or "") <= now]
    current = [standing.fact for standing in standings(begun) if not standing.superseded_by]
    for fact in sorted(current, key=_place, reverse=True):
        if not is_closed(fact.object):
            key = name_key(fact.subject)
            named = memory.graph.named([key]).get(key, ())
            work = next((e for e in named if e.type in (EntityType.GOAL, EntityType.TASK)), None)
            text = f"{shown(work, fact.subject)}: {fact.object}"
            yield msgspec.structs.replace(_line(fact), text=cut(text, SHOWN_LINE))
