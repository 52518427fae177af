"""Answers one may rely on: to the question that was asked, and no surer than what explains it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.rows import rows
from tests.talk import ask

from quipu.answer import answer
from quipu.answer.contract import ASSERT_ABOVE
from quipu.answer.quote import units
from quipu.answer.wording import explained
from quipu.config import Config, EmbedConfig
from quipu.memory import Memory
from quipu.question import read_question

NOW = "2026-11-22T01:05:00.000Z"
Remember = Callable[[dict[str, str]], Memory]
SHOP = dict(rows(__file__, "trust_shop"))


@pytest.fixture
def shop(remember: Remember) -> Memory:
    return remember(SHOP)


@pytest.mark.parametrize(
    ("question", "said", "kind", "share"),
    rows(__file__, "a_statement_explains_a_share_of_the_question"),
)
def test_a_statement_explains_a_share_of_the_question(
    question: str, said: str, kind: str, share: float
) -> None:
    assert explained(read_question(question), said, kind) == pytest.approx(share)


def test_the_subject_is_what_does_not_only_ask() -> None:
    assert read_question("what does the beta service depend on?").subject == ("beta",)
    assert read_question("which file imports it?").subject == ()


def test_a_relation_that_does_not_explain_the_question_is_not_stated_as_its_answer(
    remember: Remember,
) -> None:
    memory = remember(
        {
            "meter.py": (
                "class Mixin:\n    '''Makes things printable.'''\n\n\nclass Stroke:\n    '''Draws "
                "the bar of a meter.'''\n\n\nclass Meter(Mixin):\n    '''Shows how far a job is.'''"
                "\n\n    def show(self):\n        return Mixin()\n"
            )
        }
    )
    reply = ask(memory, "Which class does Meter use to draw the bar?")
    assert "calls" not in reply.contract.answer
    assert "Draws the bar of a meter" in reply.contract.answer


def test_what_is_known_of_another_name_is_not_asserted(shop: Memory) -> None:
    reply = ask(shop, "what does the beta service depend on?")
    assert "alpha" not in reply.contract.answer.lower()
    assert reply.confidence.value < ASSERT_ABOVE


@pytest.mark.parametrize(
    "question",
    ["capital of Mongolia", "What is the boiling point of tungsten in a vacuum furnace?"],
)
def test_words_alone_do_not_answer_what_is_not_there(tmp_path: Path, question: str) -> None:
    names = "".join(f'    "flag_for_{n}": "{n}",\n' for n in ("mongolia", "peru", "malta", "chad"))
    (tmp_path / "flags.py").write_text(f"FLAGS = {{\n{names}}}\n", "utf-8")
    (tmp_path / "kiln.md").write_text(
        "# Kiln\n\nA furnace is heated slowly. The set point of the kiln is kept in vacuum.\n",
        "utf-8",
    )
    config = Config(embed=EmbedConfig(model="none"))
    with Memory.open(
        "memory:", home=tmp_path, config=config, embedder=None, clock=lambda: NOW
    ) as memory:
        assert not memory.index([tmp_path]).errors
        reply = ask(memory, question)
    assert reply.contract.answer == "unknown"


def test_what_is_asked_for_comes_before_a_heading(remember: Remember) -> None:
    pages = {
        "adr.md": "# ADR 7: Retry declined charges three times\n\nA fourth never succeeded.\n",
        "payments.md": "# Payments\n\nIt retries a declined charge three times, then gives up.\n",
    }
    reply = ask(remember(pages), "How often is a declined charge retried?")
    assert "> It retries a declined charge three" in reply.contract.answer


def test_nothing_is_added_from_a_document_on_something_else(remember: Remember) -> None:
    memory = remember(
        {
            "clock.md": "# Clock\n\nThe default clock ticks every 40 milliseconds.\n",
            "bread.md": "# Bread\n\nEvery loaf is baked by Otto in the default oven.\n",
        }
    )
    reply = ask(memory, "how often does the default clock tick?")
    assert "40 milliseconds" in reply.contract.answer
    assert [citation.path for citation in reply.citations] == ["clock.md"]


@pytest.mark.parametrize(
    "text",
    ["---\ntype: adr\nstatus: accepted\n---", "---\r\ntype: adr\r\n---\r\n", "+++\na = 1\n+++"],
)
def test_front_matter_is_no_prose(text: str) -> None:
    assert [unit.text for unit in units(f"{text}\n\nIt is so.")] == ["It is so."]


def test_front_matter_answers_only_what_it_names(remember: Remember) -> None:
    memory = remember({"c.md": "---\ntype: adr\nstatus: accepted\n---\n# Charges\n\nSo it is.\n"})
    question = "what is the status of charges?"
    found = memory.search(question)
    reply = answer(read_question(question), found, memory.store, clock=lambda: NOW, floor=0.0)
    assert "The status of `Charges` is accepted" in reply.contract.answer
    assert "type: adr" not in reply.contract.answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Can we deploy on Fridays?", False),
        ("What is the status of No deploys on Fridays?", True),
    ],
)
def test_how_a_document_stands_is_no_answer_to_what_its_title_says(
    remember: Remember, question: str, told: bool
) -> None:
    page = "---\nstatus: accepted\ndate: 2025-06-02\n---\n# No deploys on Fridays\n\nUntil noon.\n"
    answered = ask(remember({"friday.md": page}), question).contract.answer
    assert ("accepted" in answered) is told


def test_a_module_named_by_dots_is_its_file_and_the_import_is_cited(remember: Remember) -> None:
    steps = "".join(f"\n\ndef step_{n}(cart):\n    return cart + {n}\n" for n in range(60))
    memory = remember(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "def total(items):\n    '''The sum.'''\n    return sum(items)\n",
            "shop/till.py": f'"""The till."""\nfrom shop.cart import total\n{steps}\n\n'
            'if __name__ == "__main__":\n    print(total([1, 2]))\n',
        }
    )
    reply = ask(memory, "What imports shop.cart?")
    assert "`shop/till.py` imports `shop/cart.py` [1]." in reply.contract.answer
    assert "from shop.cart import total" in reply.contract.evidence[0].excerpt


def test_a_place_without_a_word_is_not_added(remember: Remember) -> None:
    memory = remember(
        {
            "pump.md": "# Pump\n\nThe default pump speed is 40 litres.\n",
            "pump.py": "def valve_pressure(pump):\n    return pump.speed\n",
        }
    )
    reply = ask(memory, "what is the default speed and valve pressure of the pump?")
    assert "40 litres" in reply.contract.answer
    assert " is in pump.py" not in reply.contract.answer
