"""What once went wrong with names, marks, sources and long input."""

from collections.abc import Callable

import msgspec
import pytest
from tests.rows import rows
from tests.talk import ask

from quipu.answer import answer
from quipu.answer.examine import violations
from quipu.answer.gate import withhold
from quipu.answer.limitations import Doubt, missing_names, says
from quipu.memory import Memory
from quipu.question import read_question

NOW = "2026-11-22T01:05:00.000Z"
Remember = Callable[[dict[str, str]], Memory]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    rows(__file__, "a_name_is_said_as_whole_words"),
)
def test_a_name_is_said_as_whole_words(text: str, name: str, said: bool) -> None:
    assert says(text, name) is said


def test_a_name_inside_a_longer_word_is_not_known(remember: Remember) -> None:
    memory = remember({"a.md": "# Cathedral\n\nThe Cathedral of Ghent was open_storehouse once.\n"})
    for question, name in (
        ("Who met Cath in Ghent?", "Cath"),
        ("Is open_st old?", "open_st"),
    ):
        found = memory.search(question)
        missing = missing_names(read_question(question), found.plan, memory.store, found.hits)
        assert missing == (name,)


def test_a_path_with_a_mark_in_it_is_quoted(remember: Remember) -> None:
    memory = remember({"app/[1]/[7].py": "def zorblax_pump(level):\n    return level + 1\n"})
    question = "how does the zorblax pump level go?"
    found = memory.search(question)
    reply = answer(read_question(question), found, memory.store, clock=lambda: NOW, floor=0.0)
    assert violations(reply, memory.store) == []
    assert reply.contract.answer.startswith("`app/[1]/[7].py:1-2` · zorblax_pump [1]")


def test_an_abstention_holds_the_contract_whatever_a_path_holds(remember: Remember) -> None:
    memory = remember({"a.md": "# Zorblax\n\nThe pump is blue.\n"})
    found = memory.search("zorblax pump")
    odd = tuple(
        msgspec.structs.replace(h, source_ref="a\x1b[31m\u202eb.md:1", graph_ids=())
        for h in found.hits
    )
    replaced = msgspec.structs.replace(found, hits=odd)
    reply = answer(read_question("zorblax pump"), replaced, memory.store, clock=lambda: NOW)
    assert violations(reply, memory.store) == []
    assert reply.contract.answer == "unknown"
    assert "\x1b" not in reply.contract.limitations + reply.contract.next_step


def test_an_abstention_that_breaks_the_contract_gives_way_to_a_plain_one() -> None:
    gated = withhold(Doubt("bad \x1b[0m", ""), NOW)
    assert gated.contract.answer == "unknown"
    assert "\x1b" not in gated.contract.limitations
    assert gated.contract.next_step
    assert gated.notes


def test_every_name_that_is_stated_is_cited(remember: Remember) -> None:
    users = {
        f"part{n}.py": f"import hub\n\n\ndef use_{n}():\n    return hub.turn()\n" for n in range(7)
    }
    memory = remember({"hub.py": "def turn():\n    '''Turn it.'''\n    return 1\n", **users})
    reply = ask(memory, "what imports hub.py?")
    assert {citation.path for citation in reply.citations} == set(users)
