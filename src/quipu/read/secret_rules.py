"""The rules that say what a secret looks like: `rules/secrets.toml`, loaded once.

A text is searched once for the keywords of all rules and names together, and a rule's pattern is
tried only where one of its keywords stands. With bounded patterns the time for a text is linear.
"""

import re
from functools import cache
from typing import Annotated, NamedTuple

import ahocorasick_rs
import msgspec
from msgspec import Meta

from quipu.read.secret_values import Check
from quipu.tables import read_table

__all__ = ["Found", "Name", "Rule", "find_keywords", "secret_names", "secret_rules"]

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_ENDS = r"(?![A-Za-z0-9])"
_Words = tuple[Annotated[str, Meta(min_length=2)], ...]


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row `[[rule]]` of the file, whose head says what each key means."""

    kind: Annotated[str, Meta(pattern="^[a-z0-9]+(?:-[a-z0-9]+)*$")]
    of: str
    keywords: Annotated[_Words, Meta(min_length=1)]
    fold: bool = False
    back: int = 0
    over: str = r"\w-"
    check: Check = "token"
    token: str = ""
    around: str = msgspec.field(name="pattern", default="")

    @property
    def expression(self) -> str:
        """What a match is; of its groups the first that begins with `secret` goes."""
        return self.around or f"{_BEGINS}(?P<secret>{self.token}){_ENDS}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when it is first needed."""
        return _compiled(self.expression, fold=self.fold)


class Name(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row `[[name]]`: the words that a name ends in whose value is secret."""

    kind: str
    of: str
    words: _Words
    strong: bool = False
    short: bool = False
    only: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    rule: tuple[Rule, ...]
    name: tuple[Name, ...]


class Site(NamedTuple):
    """Where a rule is to be tried: its place in the file, and where its match would begin."""

    rule: int
    start: int


@cache
def _file() -> _File:
    return msgspec.convert(read_table("quipu.read", "rules", "secrets.toml"), _File)


def secret_rules() -> tuple[Rule, ...]:
    """The rules that ship with Quipu, in the order in which they name what two of them match."""
    return _file().rule


def secret_names() -> tuple[Name, ...]:
    """The names that ship with Quipu."""
    return _file().name


@cache
def _compiled(expression: str, *, fold: bool) -> re.Pattern[str]:
    return re.compile(expression, re.ASCII | (re.IGNORECASE if fold else re.NOFLAG))


class Found(NamedTuple):
    """What stands in a text: where rules are to be tried, each place of each rule once, and where
    the words of names stand, with their rows."""

    sites: tuple[Site, ...]
    names: tuple[tuple[int, int, Name], ...]


class _Keywords(NamedTuple):
    """All keywords and words of names in small letters, in one automaton; by the number of each its
    rules, with the keyword as they write it, and the row of its name."""

    automaton: ahocorasick_rs.AhoCorasick
    rules: list[list[tuple[int, str]]]
    names: list[Name | None]


@cache
def _keywords() -> _Keywords:
    rules: dict[str, list[tuple[int, str]]] = {}
    names = {word: name for name in secret_names() for word in name.words}
    for at, rule in enumerate(secret_rules()):
        for word in dict.fromkeys(rule.keywords):
            rules.setdefault(word.lower(), []).append((at, word))
    words = [*dict.fromkeys((*rules, *names))]
    automaton = ahocorasick_rs.AhoCorasick(
        words,
        matchkind=ahocorasick_rs.MatchKind.Standard,
        implementation=ahocorasick_rs.Implementation.DFA,
    )
    return _Keywords(automaton, [rules.get(w, []) for w in words], [names.get(w) for w in words])


def find_keywords(text: str) -> Found:
    """Where in `text` which rule is to be tried, and where the words of names stand."""
    rules, known = secret_rules(), _keywords()
    # as long as before: `İ` alone becomes two characters
    lowered = text.lower() if text.isascii() else text.replace("İ", "i").lower()
    try:
        found = known.automaton.find_matches_as_indexes(lowered, overlapping=True)
    except UnicodeEncodeError:  # a lone surrogate, which escapes in JSON can make
        bare = _SURROGATE.sub("?", lowered)
        found = known.automaton.find_matches_as_indexes(bare, overlapping=True)
    sites: dict[Site, None] = {}
    names: list[tuple[int, int, Name]] = []
    for word, start, end in found:
        for at, written in known.rules[word]:
            rule = rules[at]
            if rule.fold or text.startswith(written, start):
                begin = _word_start(text, start, rule) if rule.back else start
                sites[Site(at, begin)] = None
        if (name := known.names[word]) is not None:
            names.append((start, end, name))
    return Found(tuple(sites), tuple(names))


def _word_start(text: str, keyword: int, rule: Rule) -> int:
    """Where the run of a rule's characters begins that ends before its keyword."""
    before = text[max(keyword - rule.back, 0) : keyword]
    run = _compiled(f"[{rule.over}]{{0,{rule.back}}}+", fold=False).match(before[::-1])
    return keyword - (run.end() if run else 0)
