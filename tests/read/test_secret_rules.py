"""The file of rules: every row whole, none able to take more than bounded time."""

import re
from importlib.resources import files
from typing import Any

import pytest

from quipu.read import redact
from quipu.read.secret_rules import Rule, secret_names, secret_rules

TEXT = files("quipu.read").joinpath("rules", "secrets.toml").read_text("utf-8")
PARSER = re._parser  # type: ignore[attr-defined]  # how `re` itself sees a pattern


def test_every_row_is_a_rule_of_its_own() -> None:
    rules = secret_rules()
    assert len(rules) == TEXT.count("[[rule]]") == len({rule.expression for rule in rules})
    for rule in rules:
        assert "secret" in rule.pattern.groupindex, rule.of
        assert bool(rule.token) != bool(rule.around), rule.of
        assert not rule.fold or all(word == word.lower() for word in rule.keywords), rule.of
    for name in secret_names():
        assert all(word == word.lower() for word in name.words), name.of


@pytest.mark.parametrize("rule", secret_rules(), ids=lambda rule: f"{rule.kind}: {rule.of}"[:60])
def test_no_mark_is_taken_for_a_secret(rule: Rule) -> None:
    for word in rule.keywords:
        mark = f"{word}[redacted:{rule.kind}]"
        assert redact(mark) == (mark, {})


def width(parsed: Any) -> int:
    """The most characters that a match can take; `math.inf` where nothing bounds it."""
    return parsed.getwidth()[1]


@pytest.mark.parametrize("rule", secret_rules(), ids=lambda rule: f"{rule.kind}: {rule.of}"[:60])
def test_what_a_keyword_costs_is_bounded(rule: Rule) -> None:
    """No repeat without an end, none that can go back inside of another, and of long ones that can
    go back at most two in a row: a keyword costs at most the square of its window."""
    flags = re.ASCII | (re.IGNORECASE if rule.fold else re.NOFLAG)
    assert width(PARSER.parse(rule.expression, flags)) < 20_000 * 20_200
    long, nested = _backtracking(PARSER.parse(rule.expression, flags))
    assert not nested
    assert long <= 2


def _backtracking(parsed: Any) -> tuple[int, bool]:
    """Of a pattern: how many long repeats in a row can give back what they took, and whether one
    of them lies inside of another repeat that can."""
    long, nested = 0, False
    for op, held in parsed:
        name = str(op)
        if name in {"MAX_REPEAT", "MIN_REPEAT"}:
            _, most, inner = held
            assert most != PARSER.MAXREPEAT, "a repeat has no end"
            inside, deeper = _backtracking(inner)
            nested = nested or deeper or (inside > 0 and most > 8)
            long += inside + (most > 64 if width(inner) <= 3 else most > 8)
        elif name in {"POSSESSIVE_REPEAT", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"}:
            inner = held[2] if name == "POSSESSIVE_REPEAT" else held[-1]
            inner = held if name == "ATOMIC_GROUP" else inner
            if name == "POSSESSIVE_REPEAT":
                assert held[1] != PARSER.MAXREPEAT, "a repeat has no end"
            nested = nested or _backtracking(inner)[1]
        elif name == "SUBPATTERN":
            inside, deeper = _backtracking(held[3])
            long, nested = long + inside, nested or deeper
        elif name == "BRANCH":
            each = [_backtracking(branch) for branch in held[1]]
            long += max(inside for inside, _ in each)
            nested = nested or any(deeper for _, deeper in each)
    return long, nested
