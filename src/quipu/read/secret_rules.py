"""The rules that say what a secret looks like: `rules/secrets.toml`, loaded once.

A text is searched once for the keywords of all rules together, and a rule's pattern is tried only
where one of its keywords stands. With bounded patterns the time for a text is linear.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Annotated, NamedTuple

import ahocorasick_rs
import msgspec
from msgspec import Meta

from quipu.read.secret_values import Check

__all__ = ["Name", "Rule", "name_words", "secret_names", "secret_rules", "sites"]

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
    text = files("quipu.read").joinpath("rules", "secrets.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _File)


def secret_rules() -> tuple[Rule, ...]:
    """The rules that ship with Quipu, in the order in which they name what two of them match."""
    return _file().rule


def secret_names() -> tuple[Name, ...]:
    """The names that ship with Quipu."""
    return _file().name


@cache
def _compiled(expression: str, *, fold: bool) -> re.Pattern[str]:
    return re.compile(expression, re.ASCII | (re.IGNORECASE if fold else re.NOFLAG))


class _Searcher:
    """All keywords of some rules in one automaton; `rules[i]` are those of keyword `i`."""

    def __init__(self, rules: tuple[Rule, ...], *, fold: bool) -> None:
        by_word: dict[str, list[int]] = {}
        for at, rule in enumerate(rules):
            if rule.fold == fold:
                for word in dict.fromkeys(rule.keywords):
                    by_word.setdefault(word, []).append(at)
        self.rules = [tuple(places) for places in by_word.values()]
        self._automaton = ahocorasick_rs.AhoCorasick(
            list(by_word),
            matchkind=ahocorasick_rs.MatchKind.Standard,
            implementation=ahocorasick_rs.Implementation.DFA,
        )

    def found(self, text: str) -> Iterator[Site]:
        """Each keyword in `text`, however they overlap."""
        try:
            matches = self._automaton.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:  # a lone surrogate, which escapes in JSON can make
            return self.found(_SURROGATE.sub("?", text))
        return self._sites(matches)

    def _sites(self, matches: list[tuple[int, int, int]]) -> Iterator[Site]:
        for word, start, _ in matches:
            for rule in self.rules[word]:
                yield Site(rule, start)


@cache
def _searchers() -> tuple[_Searcher, _Searcher]:
    rules = secret_rules()
    return _Searcher(rules, fold=False), _Searcher(rules, fold=True)


def sites(text: str) -> Iterator[Site]:
    """Where in `text` which rule is to be tried: each place of each rule once."""
    rules = secret_rules()
    as_written, folded = _searchers()
    found: dict[Site, None] = {}
    for site in chain(as_written.found(text), folded.found(_lowered(text))):
        rule = rules[site.rule]
        start = _word_start(text, site.start, rule) if rule.back else site.start
        found[Site(site.rule, start)] = None
    return iter(found)


@cache
def _words() -> tuple[ahocorasick_rs.AhoCorasick, tuple[Name, ...]]:
    """An automaton of the words of all names, and the row of each word."""
    rows = {word: name for name in secret_names() for word in name.words}
    automaton = ahocorasick_rs.AhoCorasick(
        list(rows), implementation=ahocorasick_rs.Implementation.DFA
    )
    return automaton, tuple(rows.values())


def name_words(text: str) -> Iterator[tuple[int, int, Name]]:
    """Where in `text` the words of names stand, with their rows."""
    automaton, rows = _words()
    lowered = _lowered(text)
    try:
        found = automaton.find_matches_as_indexes(lowered, overlapping=True)
    except UnicodeEncodeError:
        found = automaton.find_matches_as_indexes(_SURROGATE.sub("?", lowered), overlapping=True)
    return ((start, end, rows[word]) for word, start, end in found)


def _word_start(text: str, keyword: int, rule: Rule) -> int:
    """Where the run of a rule's characters begins that ends before its keyword."""
    before = text[max(keyword - rule.back, 0) : keyword]
    run = _compiled(f"[{rule.over}]{{0,{rule.back}}}+", fold=False).match(before[::-1])
    return keyword - (run.end() if run else 0)


def _lowered(text: str) -> str:
    """`text` in lower case, as long as before: `İ` alone becomes two characters."""
    return text.lower() if text.isascii() else text.replace("İ", "i").lower()
