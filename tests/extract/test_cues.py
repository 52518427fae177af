"""What is not tried against the rules would have stated nothing."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.extract import statements
from quipu.extract.statements import read_statements
from quipu.extract.statements.cues import CueGate
from quipu.records.fact_rules import RULES, FactRule

PIECES = (
    "Ana joined Acme",
    "last year",
    "in 2010",
    "since May 2003",
    "I prefer tea",
    "we",
    "I'm",
    "moved from Oslo to Rome",
    "the deadline was moved to",
    "May 3",
    "my name is",
    "Bo",
    "we no longer use Redis",
    "stopped using",
    "from now on",
    "always",
    "never",
    "decided to",
    "Decision: ship it",
    "has grown to",
    "the rate is now 5%",
    "are",
    "Owner: payments",
    "in the 19th century",
    "two weeks ago",
    "replaced Redis with Valkey",
    "and I live in Lima",
    "İstanbul",
    "Émile",
    "٣",
    ".",
    ". ",
    "\n",
    "\n\n",
    "- ",
    ", ",
    "?",
    "; ",
    "the capital of Peru",
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=14).map(" ".join)


def everything(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[object]]:
    class Open(CueGate):
        def __call__(self, start: int, end: int) -> bool:
            return True

    def read(*given: object, **options: object) -> list[object]:
        with monkeypatch.context() as patched:
            patched.setattr(statements, "CueGate", Open)
            return list(read_statements(*given, **options))  # type: ignore[arg-type]

    return read


@given(TEXTS, st.booleans(), st.sampled_from(["", "Payments"]), st.booleans())
def test_the_gate_turns_nothing_away(text: str, personal: bool, about: str, known: bool) -> None:
    observed = {"observed_at": "2024-05-06T00:00:00.000Z"} if known else {}
    with pytest.MonkeyPatch.context() as monkeypatch:
        every = everything(monkeypatch)(text, about=about, personal=personal, **observed)
    assert read_statements(text, about=about, personal=personal, **observed) == every


def test_most_sentences_are_turned_away() -> None:
    text = "The river runs south of the town. Its banks are green. Ana has lived there."
    gate = CueGate(text, keyed=True, personal=False, relative=True, rules=RULES)
    assert not gate(0, len(text))
    dated = CueGate(
        text + " Ana left in 1990.", keyed=False, personal=False, relative=False, rules=()
    )
    assert dated(80, 93)


def test_what_a_rule_needs_opens_the_gate_by_itself() -> None:
    text = "The river runs south. The marathon is sponsored by Acme."
    sponsor = FactRule("sponsor", r"(?P<what>\w+) is sponsored by (?P<new>\w+)", "sponsor")
    for rules, open_ in (((), False), ((sponsor,), True)):
        gate = CueGate(text, keyed=False, personal=True, relative=False, rules=rules)
        assert not gate(0, 21)
        assert gate(22, len(text)) is open_
        page = CueGate(text, keyed=False, personal=False, relative=False, rules=rules)
        assert not page(22, len(text))
