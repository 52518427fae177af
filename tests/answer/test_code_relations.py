"""What extends what, and what raises what: stated by the graph, with the line as evidence."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory

Remember = Callable[[dict[str, str]], Memory]
SHOP = dict(rows(__file__, "code_relations_shop"))


@pytest.mark.parametrize(
    ("question", "said", "path"),
    rows(__file__, "the_graph_says_what_extends_and_what_raises"),
)
def test_the_graph_says_what_extends_and_what_raises(
    remember: Remember, question: str, said: str, path: str
) -> None:
    reply = remember(SHOP).ask(question)
    assert said in reply.contract.answer
    assert path in [citation.path for citation in reply.citations]
    assert reply.confidence.value >= 0.7


@pytest.mark.parametrize(
    ("question", "not_said"),
    [
        ("Which classes inherit from CardDeclined?", "extend"),
        ("What does ShopError raise?", "raises"),
        ("What calls charge_card?", "raises"),
    ],
)
def test_what_is_not_so_is_not_said(remember: Remember, question: str, not_said: str) -> None:
    assert f" {not_said} " not in remember(SHOP).ask(question).contract.answer


@pytest.mark.parametrize(
    "question", ["Why does the shop have a LateDelivery?", "When was LateDelivery introduced?"]
)
def test_a_definition_is_no_reason_and_no_time(remember: Remember, question: str) -> None:
    reply = remember(SHOP).ask(question)
    assert reply.confidence.value < 0.7


@pytest.mark.parametrize(
    "question",
    [
        "Why may ShopError not be raised by charge_card?",
        "What does charge_card return when LateDelivery does not extend ShopError?",
    ],
)
def test_a_relation_beside_what_is_asked_is_not_told(remember: Remember, question: str) -> None:
    said = remember(SHOP).ask(question).contract.answer
    assert " extend `ShopError`" not in said
    assert " extends `ShopError`" not in said
    assert " raises " not in said


def test_what_something_is_does_not_answer_which_of_it_there_are(remember: Remember) -> None:
    reply = remember(SHOP).ask("http methods the ShopError class has a function for")
    assert reply.confidence.value < 0.7


def test_a_definition_says_what_something_is(remember: Remember) -> None:
    reply = remember(SHOP).ask("What does LateDelivery mean?")
    assert "`class LateDelivery(errors.ShopError)`: It came too late" in reply.contract.answer


def test_a_setting_is_placed_by_its_symbol_without_its_parameters(remember: Remember) -> None:
    code = "def open_till(name: str, *, drawer_limit: int = 400) -> None:\n    pass\n"
    memory = remember({"shop/till.py": code})
    answer = memory.ask("What is the default of drawer_limit?").contract.answer
    assert "`drawer_limit` of `open_till` is `400` by default" in answer


@pytest.mark.parametrize(
    "question",
    [
        "What should I use instead of charge_card?",
        "Which function to use for charge_card?",
        "charge_card is old now, use what?",
    ],
)
def test_who_uses_something_is_no_answer_to_what_one_should_use(
    question: str, remember: Remember
) -> None:
    memory = remember(
        SHOP
        | {
            "shop/till.py": "from shop.charge import charge_card\n\n\n"
            "def pay(card):\n    charge_card(card)\n"
        }
    )
    assert "`pay`" in memory.ask("What uses charge_card?").contract.answer
    assert "`pay`" not in memory.ask(question).contract.answer


def test_a_method_is_defined_by_its_own_class(remember: Remember) -> None:
    memory = remember(
        {
            "logs/proxy.py": (
                "class LazyLogger:\n    def bind(self, **values):\n"
                '        """Assemble a new BoundLogger from values that it is given."""\n'
                "        return BoundLogger(values)\n"
            ),
            "logs/bound.py": (
                "class BoundLogger:\n    def bind(self, **values):\n"
                '        """Return another logger that holds these values too."""\n'
                "        return self.with_values(values)\n"
            ),
        }
    )
    said = memory.ask("What does BoundLogger.bind do?").contract.answer
    assert "Return another logger that holds these values too" in said
    assert "Assemble" not in said
