"""A rule is one entry: in the table it is tried, wherever its pattern fits."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.extract.statements import read_statements
from quipu.extract.statements.cues import cues_of, may_fit
from quipu.kinds.conversations.states import read_states
from quipu.records.fact_rules import RULES, FactRule
from quipu.text import lower

NOW = "2026-05-20T10:00:00.000Z"
SPONSOR = FactRule(
    "sponsor",
    r"\b(?:the |our |my )?(?P<what>[\w' -]{2,60}?) (?:is|are) sponsored by (?P<new>[^,;]{1,100})",
    "is sponsored by",
)
EXAMPLES = (
    "The deadline was moved to Friday.",
    "The search team switched from Elastic to Solr.",
    "I migrated to Neovim.",
    "We replaced Redis with Valkey.",
    "We no longer use Redis.",
    "Our budget is 500 euros.",
    "My favourite tea is sencha.",
    "My manager is Ada Brown.",
    "I prefer tea.",
    "I'm living in Bergen.",
    "We decided to keep the monolith.",
    "Decision: ship on Monday.",
    "Always answer in French.",
    "From now on, answer in French.",
    "Oh and please answer me in short bullet points.",
    "Actually, I'd rather have normal sentences from now on.",
)


@pytest.mark.parametrize(("rule", "said"), list(zip(RULES, EXAMPLES, strict=True)))
def test_every_rule_reads_its_example_and_alone_does(rule: FactRule, said: str) -> None:
    (first, *_) = read_statements(said, observed_at=NOW)
    assert read_statements(said, observed_at=NOW, rules=[rule])[0] == first
    assert first.rule == rule.name
    others = [each for each in RULES if each != rule]
    assert first not in read_statements(said, observed_at=NOW, rules=others)


def test_a_rule_that_is_added_is_tried() -> None:
    said = "The marathon is sponsored by Acme."
    assert read_statements(said, observed_at=NOW) == []
    (found,) = read_statements(said, observed_at=NOW, rules=[*RULES, SPONSOR])
    assert (found.subject, found.predicate, found.object, found.rule) == (
        "marathon",
        "is sponsored by",
        "Acme",
        "sponsor",
    )


def test_a_rule_counts_in_pages_where_its_entry_says_so() -> None:
    said = "The marathon is sponsored by Acme."
    assert read_statements(said, personal=False, rules=[SPONSOR]) == []
    of_pages = replace(SPONSOR, of_pages=True)
    assert [s.object for s in read_statements(said, personal=False, rules=[of_pages])] == ["Acme"]


def test_a_rule_is_a_state_of_turns_where_its_entry_says_so() -> None:
    said = "my marathon is sponsored by acme."
    assert ("marathon", "sponsor") not in {s.attribute for s in read_states(said, [SPONSOR])}
    (state,) = (
        s
        for s in read_states(said, [replace(SPONSOR, state="sponsor")])
        if s.attribute == ("marathon", "sponsor")
    )
    assert state.value == ("acm",)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name}: {rule.pattern[:20]}")
@given(data=st.data())
def test_what_a_rule_fits_has_its_cues(rule: FactRule, data: st.DataObject) -> None:
    text = lower(data.draw(st.from_regex(rule.pattern)))
    if re.search(rule.pattern, text):
        assert may_fit(cues_of(rule.pattern), text)


@pytest.mark.parametrize(
    ("pattern", "cues"),
    [
        ("is sponsored by (?P<new>.+)", [{"is sponsored by "}]),
        (r"\b(?:is|are) fond of\b", [{"is fond of", "are fond of"}]),
        ("favou?rite", [{"favorite", "favourite"}]),
        ("(?:no longer|stopped|no longer ever) x+", [{"no longer ", "stopped "}, {"x"}]),
        (r"at \w+ or (?:to \w+|from \w+)", [{"from ", "to "}, {" or "}, {"at "}]),
        ("a[bc]d", [{"abd", "acd"}]),
        (r"(?:maybe )?\w*", []),
        ("(?:yes|)", []),
        ("(?:yes){0,3}(?:no){2,}", [{"no"}]),
        (r"\d+ euros", [{" euros"}, {"\0"}]),
        (r"(?:\$\d|\d euros)", [{"\0"}]),
        ("(?=never)always(?!ever)", [{"always"}]),
    ],
)
def test_the_cues_of_a_pattern(pattern: str, cues: list[set[str]]) -> None:
    assert sorted(map(sorted, cues_of(pattern))) == sorted(map(sorted, cues))


def test_a_rule_without_cues_is_always_tried() -> None:
    said = "Kim: hello"
    rule = FactRule("greeting", r"^(?P<what>\w+)[^\w](?P<new>[^;]+)$", "says")
    assert cues_of(rule.pattern) == ()
    assert [s.object for s in read_statements(said, rules=[rule])] == ["hello"]


@pytest.mark.parametrize("pattern", ["Sponsored by", "by [A-Z]", "(?i)by", r"(a)\1", "(a", "a)"])
def test_what_would_never_fit_or_is_not_known_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(pattern))):
        cues_of(pattern)
