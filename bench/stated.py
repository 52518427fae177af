"""Measure a memory that agents state facts to: changes followed, false merges, the state today.

    python -m bench stated SET.json [--words] [--show]

A set holds sessions (a date, turns, and what an agent states of them: a true key, its spellings of
subject and attribute, value, kind) and the state at the end. Three agents state the same:

- `one spelling` always writes a key as it did first;
- `looks` spells it anew at each mention and reads the reply: where the true key is among the keys
  that it hands back, it takes its statement back and states again what that `replaces`;
- `never looks` spells it anew and reads no reply.

A change is followed where the statement took the place of what the key had before; a merge is
false where it took the place of another key's value.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from quipu.facts.keys import typed
from quipu.memory import Memory
from quipu.records.stated import KnownKey, Stated, StatementInput

_AGENTS = ("one spelling", "looks", "never looks")


def main(arguments: Sequence[str]) -> int:
    """Print the figures of each agent."""
    parser = argparse.ArgumentParser(prog="python -m bench stated")
    parser.add_argument("set", type=Path)
    parser.add_argument("--words", action="store_true", help="without vectors")
    parser.add_argument("--show", action="store_true", help="name what went wrong")
    given = parser.parse_args(arguments)
    told = json.loads(given.set.read_text(encoding="utf-8"))
    for manner in _AGENTS:
        agent = _Agent(told, manner, embed=not given.words)
        click.echo(f"{manner:13} {agent.figures()}")
        for line in agent.wrong if given.show else ():
            click.echo(f"    {line}")
    return 0


class _Agent:
    """One who states a set in its manner, and what came of it."""

    def __init__(self, told: dict[str, Any], manner: str, *, embed: bool) -> None:
        self._told, self._manner, self._embed = told, manner, embed
        self._mentions: Counter[str] = Counter()
        self._true: dict[str, str] = {}
        self._last: dict[str, str] = {}
        self.wrong: list[str] = []

    def figures(self) -> str:
        """State every session, in order of time, and compare."""
        now = [""]
        how: dict[str, Any] = {} if self._embed else {"embedder": None}
        with (
            tempfile.TemporaryDirectory() as folder,
            Memory.open(Path(folder, "told.db"), clock=lambda: now[0], **how) as memory,
        ):
            changes, followed, false = 0, 0, 0
            for session, statement in self._statements():
                now[0] = f"{session['date']}T12:00:00.000Z"
                took = self._took(memory, statement)
                false += len(took - {statement["key"]})
                if took - {statement["key"]}:
                    self.wrong.append(f"false: {statement} took {took}")
                if statement["kind"] == "change":
                    changes += 1
                    followed += statement["key"] in took
                    if statement["key"] not in took:
                        self.wrong.append(f"not followed: {statement}")
            right = sum(self._right(memory, key, now[0]) for key in self._told["state"])
        return (
            f"changes followed {followed} of {changes}, false merges {false} of "
            f"{sum(self._mentions.values())}, right and alone today {right} of "
            f"{len(self._told['state'])}"
        )

    def _statements(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for session in self._told["sessions"]:
            for statement in session["statements"]:
                yield session, statement

    def _took(self, memory: Memory, statement: dict[str, Any]) -> set[str]:
        """State it and return the true keys whose value it took the place of."""
        key, names = statement["key"], statement["names"]
        spelling = names[0 if self._manner == "one spelling" else self._mentions[key] % len(names)]
        self._mentions[key] += 1
        if statement["kind"] == "correct" and self._manner != "never looks":
            self._state(memory, statement, spelling, corrects=self._last[key])
            return {key}
        made = self._state(memory, statement, spelling)
        known = self._known(made, key) if self._manner == "looks" else None
        if known is not None and not made.replaced:
            if made.fact.fact_id != known.fact_id:
                memory.facts.state(StatementInput(retracts=made.fact.fact_id))
            made = self._state(memory, statement, spelling, replaces=known.fact_id)
        return {self._true[old.fact_id] for old in made.replaced}

    def _known(self, made: Stated, key: str) -> KnownKey | None:
        """Return the fact under which the reply hands the true key back."""
        handed = (*made.other_keys, *made.near_keys)
        return next((old for old in handed if self._true[old.fact_id] == key), None)

    def _state(
        self, memory: Memory, statement: dict[str, Any], spelling: Sequence[str], **known: str
    ) -> Stated:
        ends = statement["kind"] == "end"
        since = statement.get("since", "")
        given = StatementInput(
            subject=spelling[0],
            attribute=spelling[1],
            value="" if ends else statement["value"],
            since="" if ends else since,
            until=(since or memory.clock()[:10]) if ends else "",
            ends=ends,
            **known,
        )
        (made,) = memory.facts.state(given)
        self._true[made.fact.fact_id] = statement["key"]
        self._last[statement["key"]] = made.fact.fact_id
        return made

    def _right(self, memory: Memory, key: str, now: str) -> bool:
        """Tell whether what holds today under the true key is its last value and nothing else."""
        facts = memory.facts(as_of=now, live=True)
        found = {fact.object for fact in facts if self._true[fact.fact_id] == key} - {"ended"}
        value = self._told["state"][key]
        wanted = set[str]() if value is None else {typed(value)[0]}
        if found != wanted:
            self.wrong.append(f"today: {key} is {found}, not {wanted}")
        return found == wanted
