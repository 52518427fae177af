"""Pages in AsciiDoc and Org answer by their sentences, their tables and what their heads say."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory

Remember = Callable[[dict[str, str]], Memory]

ADOC = """= Pump Manual
Jo Lindt <jo@example.org>
:version: 1.2

== Install

The installer of {product} needs 4 GB of memory.

|===
|Plan |Price

|Basic
|5 EUR

|Gold |19
EUR
|===
"""
ORG = """#+TITLE: Pump notes
#+AUTHOR: Lou Fox
* Decisions
** DONE Use Kafka
   We use Kafka because replay matters.
* Prices
| Plan | Price |
|------+-------|
| Silver | 29 EUR |
| Platinum | 39 EUR |
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    rows(__file__, "asciidoc_and_org_answer"),
)
def test_asciidoc_and_org_answer(question: str, answer: str, remember: Remember) -> None:
    memory = remember({"docs/pump.adoc": ADOC, "notes/pump.org": ORG})
    assert answer in memory.ask(question).contract.answer
