"""Short entries are sayings: what answers is told among them as it is among turns."""

import pytest

from quipu.embed import MiniLM
from quipu.memory import Memory

SAID = (
    ("2026-01-05", "I'm charging 620 kroner an hour these days"),
    ("2026-01-06", "Samira rents the back half of the shop, she pays me 300 a month"),
    ("2026-02-01", "the roof of the shed leaks again, need to call Bo about it"),
    ("2026-05-03", "put my rate up at last, 680 from now on"),
)


@pytest.mark.model
def test_the_saying_that_answers_is_quoted_with_its_day(encoder: MiniLM) -> None:
    clock = "2026-06-20T12:00:00.000Z"
    with Memory.open("memory:", embedder=encoder, clock=lambda: clock) as memory:
        for day, text in SAID:
            memory.add(text, observed_at=day)
        answer = memory.ask("What is leaking in the shed?").contract.answer
        charged = memory.ask("What do I charge an hour?").contract.answer
    assert "2026-02-01: the roof of the shed leaks again" in answer
    assert 0 <= charged.find("680 from now on") < charged.find("[2]")  # the later one first
