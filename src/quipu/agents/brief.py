"""The brief: what an agent should know whatever it is asked, on a few bounded lines.

Standing instructions, what is preferred, who the user is and what is open, each of what holds now,
what the table of attributes knows first, newest first, with the source that says so. What another
statement took the place of is not in it, nor what was read with doubt.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.agents.budget import CHARACTERS_A_TOKEN, cut, tokens
from quipu.agents.entries import PRIORITIES, Entry
from quipu.answer.dated_facts import said
from quipu.answer.wording import shown
from quipu.errors import InvalidInput
from quipu.facts.attributes import SHIPPED
from quipu.facts.chains import standings
from quipu.facts.fit import is_sure
from quipu.kinds.work.model import is_closed
from quipu.records.record import Entity, Fact
from quipu.records.schema import EntityType
from quipu.text import name_key, stems

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["BRIEF_TOKENS", "Brief", "brief"]

BRIEF_TOKENS = 400
"""How long a brief is where nothing else is said."""

_LEAST = 20
_LINE = 200
_USER = "user"
_INSTRUCTS = "instructs"
_PREFERRED = frozenset(
    "likes,not likes,prefers,diet,is allergic to,is intolerant to,eats,not eats,drinks,not drinks,"
    "speaks".split(",")
)
_FAVOURITE = ("favorite ", "favourite ", "preferred ")
_WORK = ("goal:", "task:")


class BriefLine(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that holds."""

    text: Annotated[str, "what holds, as a sentence"]
    source_ref: Annotated[str, "the source that says so"]
    since: Annotated[str, "when it was said or began, as a date; empty where nobody knows"]


class BriefSection(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one kind, newest first."""

    title: Annotated[str, "`Instructions`, `Preferences`, `Profile`, `We` or `Open work`"]
    lines: Annotated[tuple[BriefLine, ...], "what holds"]


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent should know whatever it is asked."""

    sections: Annotated[tuple[BriefSection, ...], "those that have lines"]
    text: Annotated[str, "the sections as Markdown"]
    token_count: Annotated[int, "about how many tokens the text has"]
    left_out: Annotated[int, "how many lines the budget kept out"]


def brief(
    memory: "Memory",
    entries: Iterable[Entry] = (),
    *,
    about: str = _USER,
    budget_tokens: int = BRIEF_TOKENS,
) -> Brief:
    """What holds now of `about` (by default the user), of the group and of open work.

    `entries` are those that still hold; their instructions and preferences count too. Sections
    give way from the last: instructions are the last to be left out. Raises InvalidInput for a
    blank `about` or a budget below 20 tokens (4 characters each).
    """
    if not about.strip():
        raise InvalidInput("there is nobody to be brief about: give a name, or leave it out")
    if budget_tokens < _LEAST:
        raise InvalidInput(
            f"a brief of {budget_tokens} tokens holds nothing: give {_LEAST} or more"
        )
    now = memory.clock()
    current = [
        fact
        for fact in memory.facts(as_of=now, live=True)
        if is_sure(fact) and any(_is_about(fact, name) for name in (about, _USER, "we"))
    ]
    newest = sorted(current, key=_place, reverse=True)
    facts = sorted(newest, key=lambda fact: not SHIPPED.knows(fact.predicate))
    sections = [
        _section(
            "Instructions", [*_of_entries(entries, "instruction"), *_fact_lines(facts, _asks)]
        ),
        _section(
            "Preferences", [*_of_entries(entries, "preference"), *_fact_lines(facts, _prefers)]
        ),
        _section("Profile", _fact_lines(facts, lambda fact: _is_of(fact, about))),
        _section("We", _fact_lines(facts, lambda fact: _is_of(fact, "we") and not _is_work(fact))),
        _section("Open work", _open_work(memory, now)),
    ]
    return _within(sections, budget_tokens * CHARACTERS_A_TOKEN)


def _place(fact: Fact) -> tuple[str, str, int, str]:
    path, start = fact.provenance.get("path"), fact.provenance.get("start")
    return fact.updated_at, str(path), start if isinstance(start, int) else 0, fact.fact_id


def _section(title: str, lines: Iterable[BriefLine]) -> BriefSection:
    """Its lines without those that say what another says already: a fact that is read from an
    entry is told by that."""
    kept: dict[frozenset[str], BriefLine] = {}
    for line in lines:
        words = frozenset(stems(line.text)) - {_USER}
        if not any(words <= said and line.source_ref == kept[said].source_ref for said in kept):
            kept.setdefault(words, line)
    return BriefSection(title=title, lines=tuple(kept.values()))


def _of_entries(entries: Iterable[Entry], category: str) -> Iterator[BriefLine]:
    mine = [entry for entry in entries if entry.category == category]
    newest = sorted(mine, key=lambda e: (e.stored_at, e.id), reverse=True)
    for entry in sorted(newest, key=lambda e: PRIORITIES.index(e.priority)):
        text = cut(" ".join(entry.content.split()), _LINE)
        yield BriefLine(text=text, source_ref=entry.id, since=entry.stored_at[:10])


def _fact_lines(facts: Sequence[Fact], counts: Callable[[Fact], bool]) -> Iterator[BriefLine]:
    return (_line(fact) for fact in facts if counts(fact))


def _line(fact: Fact) -> BriefLine:
    bare = msgspec.structs.replace(fact, valid_from=None, valid_to=None)
    text = fact.object if fact.predicate == _INSTRUCTS else said(bare)
    since = (fact.valid_from or fact.updated_at)[:10]
    known = "" if since.startswith("0001") else since
    path = fact.provenance.get("path")
    return BriefLine(text=cut(text, _LINE), source_ref=str(path or ""), since=known)


def _asks(fact: Fact) -> bool:
    return fact.predicate == _INSTRUCTS and name_key(fact.subject) == _USER


def _prefers(fact: Fact) -> bool:
    attribute = SHIPPED.attribute_of(fact.predicate)
    liked = attribute in _PREFERRED or attribute.startswith(_FAVOURITE)
    return liked and name_key(fact.subject) in (_USER, "we")


def _is_of(fact: Fact, name: str) -> bool:
    """Whether a fact is of somebody or theirs, and no instruction or preference."""
    return _is_about(fact, name) and not (fact.predicate == _INSTRUCTS or _prefers(fact))


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
    current = [each.fact for each in standings(begun) if not each.superseded_by]
    for fact in sorted(current, key=_place, reverse=True):
        if not is_closed(fact.object):
            key = name_key(fact.subject)
            named = memory.graph.named([key]).get(key, ())
            text = f"{shown(_work(named), fact.subject)}: {fact.object}"
            yield msgspec.structs.replace(_line(fact), text=cut(text, _LINE))


def _work(named: Iterable[Entity]) -> Entity | None:
    return next((e for e in named if e.type in (EntityType.GOAL, EntityType.TASK)), None)


def _within(sections: Sequence[BriefSection], room: int) -> Brief:
    kept: list[BriefSection] = []
    text, left_out = "", 0
    for section in sections:
        lines: list[BriefLine] = []
        page = f"{text}\n\n## {section.title}\n" if text else f"## {section.title}\n"
        for line in section.lines:
            since = f" ({line.since})" if line.since else ""
            longer = f"{page}\n- {line.text}{since}"
            if len(longer) > room:
                left_out += 1
            else:
                page = longer
                lines.append(line)
        if lines:
            text = page
            kept.append(BriefSection(title=section.title, lines=tuple(lines)))
    return Brief(sections=tuple(kept), text=text, token_count=tokens(text), left_out=left_out)
