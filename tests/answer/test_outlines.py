"""Pages in AsciiDoc and Org answer by their sentences, their tables and what their heads say."""

from collections.abc import Callable

import pytest

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
    [
        ("How much memory does the installer need?", "needs 4 GB of memory"),
        ("What is the price of Basic?", "Basic's price is 5 EUR"),
        ("How much does Gold cost?", "Gold's price is 19 EUR"),
        ("What is the price of Platinum?", "Platinum's price is 39 EUR"),
        ("Who wrote the Pump Manual?", "`docs/pump.adoc` is authored by `Jo Lindt`"),
        ("Who is the author of Pump notes?", "`notes/pump.org` is authored by `Lou Fox`"),
        ("What is the version of the Pump Manual?", "The version of `Pump Manual` is 1.2"),
        ("Why do we use Kafka?", "We use Kafka because replay matters"),
    ],
)
def test_asciidoc_and_org_answer(question: str, answer: str, remember: Remember) -> None:
    memory = remember({"docs/pump.adoc": ADOC, "notes/pump.org": ORG})
    assert answer in memory.ask(question).contract.answer
