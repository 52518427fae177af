"""What a window of lines is worth as an answer, and what it is quoted with."""

from collections.abc import Callable

import pytest

from quipu.answer.choose import weighed
from quipu.answer.gate import Evidence
from quipu.answer.intent import understand
from quipu.answer.worth import WEIGHTS
from quipu.embed.minilm import MiniLM
from quipu.memory import Memory
from quipu.ports import Embedder

Remember = Callable[[dict[str, str]], Memory]
RememberWith = Callable[[dict[str, str], Embedder], Memory]


def passage(text: str, *, code: bool = False, title: str = "") -> Evidence:
    """A passage of a file that says `text`."""
    role = "source" if code else "documentation"
    path = "till.py" if code else "till.md"
    return Evidence(path, path, path, 1, 9, title, text, code, ("re_1",), "", "", role=role)


def inputs(question: str, text: str, *, code: bool = False, title: str = "") -> dict[str, float]:
    """The inputs of the window that is worth most."""
    found = weighed(understand(question), [passage(text, code=code, title=title)], None)
    return found[0][1]


def test_each_weight_has_an_input_and_each_input_a_weight() -> None:
    assert inputs("What holds the till?", "The till holds coins.").keys() == WEIGHTS.keys()


@pytest.mark.parametrize(
    ("question", "text", "name", "value"),
    [
        ("What came with Python 3.7?", "Since Python 3.7 the till is closed.", "uncounted", 0.0),
        ("What came with Python 3.7?", "Since Python 3.8 the till is closed.", "uncounted", 0.5),
        ("Why is the till closed?", "The till is closed because it is full.", "typed", 1.0),
        ("Why is the till closed?", "The till is closed on Sundays.", "typed", 0.0),
        ("How do I close the till?", "Close the till:\n\n```\nclose till\n```\n", "shown", 1.0),
        ("How do I close the till?", "The till is closed by a key.", "shown", 0.0),
        (
            "Which coins does the till hold?",
            "The till holds pence, groats, crowns.",
            "enumerates",
            1,
        ),
        ("How many coins does the till hold?", "The till holds 40 coins.", "given", 1.0),
        ("How many coins does the till hold?", "The till holds coins.", "given", 0.0),
    ],
)
def test_what_a_text_holds_is_read(question: str, text: str, name: str, value: float) -> None:
    assert inputs(question, text)[name] == value


def test_what_is_short_is_worth_no_less_for_that() -> None:
    assert (
        inputs("What holds the till?", "The till holds coins.")["length"]
        == inputs("What holds the till?", "The till holds coins and a key to the door.")["length"]
    )


def test_a_heading_that_says_more_is_of_something_else() -> None:
    said = "```\ntill install\n```\n"
    plain = inputs("How do I install the till?", said, title="Till › Install")
    other = inputs("How do I install the till?", said, title="Till › Install a drawer")
    assert plain["titled"] == 1.0
    assert other["titled"] < plain["titled"]


def test_what_documentation_goes_on_to_say_is_quoted(remember: Remember) -> None:
    code = (
        "def open_till(drawer):\n"
        '    """Sets whether coins are counted.\n\n'
        "    Counting writes each coin to the ledger before the drawer opens.\n"
        '    """\n    return drawer\n'
    )
    said = remember({"shop/till.py": code}).ask("What does open_till do?").contract.answer
    assert "Sets whether coins are counted. Counting writes each coin to the ledger" in said


@pytest.mark.parametrize(
    "question",
    ["Which file counts the coins of the till?", "where are the coins of a till counted"],
)
def test_where_something_is_says_the_file(remember_with: RememberWith, question: str) -> None:
    files = {
        "shop/till.py": "def count_coins(till):\n"
        '    """Count the coins of a till."""\n    return len(till)\n',
        "docs/till.md": "# Till\n\nThe coins of a till are counted each night.\n",
    }
    assert "shop/till.py" in remember_with(files, MiniLM()).ask(question).contract.answer


@pytest.mark.parametrize(
    ("question", "quoted", "lacks"),
    [
        ("Why is the till locked?", "The till is locked because it holds coins.", False),
        ("Why is the till locked?", "The till is locked at night.", True),
    ],
)
def test_no_reason_is_a_lack_where_one_is_asked_for(
    remember: Remember, question: str, quoted: str, lacks: bool
) -> None:
    reply = remember({"docs/till.md": f"# Till\n\n{quoted}\n"}).ask(question)
    assert bool(reply.confidence.inputs["lacking"]) is lacks
