"""The rules that say what a secret looks like: `rules/secrets.toml`, loaded once and checked.

A text is searched once for the keywords of all rules together, and a rule's pattern is tried only
where one of its keywords stands. With bounded patterns the time for a text is linear.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple, cast, get_args

import ahocorasick_rs

from quipu.errors import InvalidConfig
from quipu.read.secret_values import CHECKS, Check

__all__ = [
    "Name",
    "Rule",
    "name_words",
    "read_names",
    "read_rules",
    "secret_names",
    "secret_rules",
    "sites",
]

_FILE = "secrets.toml"
_KNOWN = frozenset({"kind", "of", "keywords", "fold", "back", "over", "token", "pattern", "check"})
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KIND = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_ENDS = r"(?![A-Za-z0-9])"


class Rule(NamedTuple):
    """One row of the file. Of `expression`, the first group that begins with `secret` goes."""

    kind: str
    of: str
    keywords: tuple[str, ...]
    fold: bool
    back: int
    over: str
    check: Check
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when it is first needed."""
        return _compiled(self.expression, fold=self.fold)


class Name(NamedTuple):
    """One row of the names whose values are secret: the words that such a name ends in."""

    kind: str
    of: str
    words: tuple[str, ...]
    strong: bool
    short: bool
    only: str


class Site(NamedTuple):
    """Where a rule is to be tried: its place in the file, and where its match would begin."""

    rule: int
    start: int


@cache
def secret_rules() -> tuple[Rule, ...]:
    """The rules that ship with Quipu, in the order in which they name what two of them match."""
    text = files("quipu.read").joinpath("rules", _FILE).read_text("utf-8")
    return read_rules(tomllib.loads(text))


@cache
def secret_names() -> tuple[Name, ...]:
    """The names that ship with Quipu."""
    text = files("quipu.read").joinpath("rules", _FILE).read_text("utf-8")
    return read_names(tomllib.loads(text))


def read_names(table: Mapping[str, Any]) -> tuple[Name, ...]:
    """The names in a table as TOML gives it. Raises InvalidConfig naming the row that is none."""
    return tuple(
        _row_of_names(at, cast("dict[str, Any]", row))
        for at, row in enumerate(table.get("name", ()), 1)
    )


def _row_of_names(at: int, row: dict[str, Any]) -> Name:
    words = tuple(row.get("words", ()))
    if not {"kind", "of", "words"} <= row.keys() <= {*Name._fields}:
        raise InvalidConfig(f"name {at} of {_FILE}: it needs `kind`, `of` and `words`")
    if wrong := [word for word in words if len(word) < 2 or word != word.lower()]:
        raise InvalidConfig(f"name {at} of {_FILE}: {wrong[0]!r} is too short or has capitals")
    return Name(
        kind=row["kind"],
        of=row["of"],
        words=words,
        strong=row.get("strong", False),
        short=row.get("short", False),
        only=row.get("only", ""),
    )


def read_rules(table: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The rules in a table as TOML gives it. Raises InvalidConfig naming the rule that is not
    one: a key or check that is unknown, no keyword, no group `secret`. Patterns are compiled
    when they are first needed, which is seldom all of them."""
    return tuple(
        _rule(at, cast("dict[str, Any]", row)) for at, row in enumerate(table.get("rule", ()), 1)
    )


def _rule(at: int, row: dict[str, Any]) -> Rule:
    name = f"rule {at} ({row.get('kind')!r}) of {_FILE}"
    if unknown := sorted(row.keys() - _KNOWN):
        raise InvalidConfig(f"{name}: {unknown[0]!r} is no key of a rule")
    if not _KIND.fullmatch(str(row.get("kind"))) or not row.get("of"):
        raise InvalidConfig(f"{name}: it needs a `kind` in lower case and an `of`")
    if ("token" in row) == ("pattern" in row):
        raise InvalidConfig(f"{name}: it needs either `token` or `pattern`")
    rule = Rule(
        kind=row["kind"],
        of=row["of"],
        keywords=tuple(row.get("keywords", ())),
        fold=bool(row.get("fold", False)),
        back=int(row.get("back", 0)),
        over=row.get("over", r"\w-"),
        check=row.get("check", "token"),
        expression=row.get("pattern") or f"{_BEGINS}(?P<secret>{row['token']}){_ENDS}",
    )
    if rule.check not in get_args(Check):
        raise InvalidConfig(f"{name}: the check {rule.check!r} is none of {', '.join(CHECKS)}")
    short = [word for word in rule.keywords if len(word) < 2]
    if not rule.keywords or short:
        raise InvalidConfig(f"{name}: it needs keywords of two characters or more")
    if rule.fold and any(word != word.lower() for word in rule.keywords):
        raise InvalidConfig(f"{name}: with `fold` keywords are in lower case")
    if "(?P<secret>" not in rule.expression:
        raise InvalidConfig(f"{name}: its pattern has no group `secret`")
    return rule


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
