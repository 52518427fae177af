"""What is known of code, asked for in questions: the same of a small crawler in each language."""

import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.memory import Memory
from quipu.read.languages import CAPTURES, LANGUAGES, grammar
from quipu.records.reply import Reply
from quipu.testing.fakes import HashEmbedder

CRAWLERS = Path(__file__).parent / "crawlers"
Ask = Callable[[str], Reply]
Remember = Callable[..., Memory]
CASES: dict[str, dict[str, tuple[str, str]]] = tomllib.loads(
    (Path(__file__).parent / "data/code_answers.toml").read_text("utf-8")
)
"""By language and question, the words of the answer and the line that it cites."""


@pytest.fixture(scope="module")
def ask_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Ask]]:
    opened: dict[str, Memory] = {}

    def ask_of(language: str) -> Ask:
        if language not in opened:
            home = tmp_path_factory.mktemp(language)
            shutil.copytree(CRAWLERS / language, home, dirs_exist_ok=True)
            opened[language] = Memory.open("memory:", home=home, embedder=HashEmbedder(64))
            opened[language].index([home])
        return opened[language].ask

    yield ask_of
    for memory in opened.values():
        memory.close()


@pytest.mark.parametrize(
    ("language", "question"), [(each, q) for each, asked in CASES.items() for q in asked]
)
def test_what_is_known_of_code_is_told_with_its_line(
    ask_of: Callable[[str], Ask], language: str, question: str
) -> None:
    answer, line = CASES[language][question]
    reply = ask_of(language)(question)
    cited = reply.citations[0]
    last = f"-{cited.end_line}" if cited.end_line != cited.start_line else ""
    assert answer in reply.contract.answer
    assert f"{cited.path.rpartition('.')[2]}:{cited.start_line}{last}" == line


@pytest.mark.parametrize(
    "question",
    [
        "What does fetch_page return when the server is down?",
        "What does fetch_pages take?",
        "Which function sets the weather?",
        "What is the default of colour in fetch_page?",
        "Where is CRAWLER_COLOUR read?",
        "By how much does fetch_page follow pages if I configure nothing?",
    ],
)
def test_what_the_records_do_not_hold_is_not_told(
    ask_of: Callable[[str], Ask], question: str
) -> None:
    answer = ask_of("python")(question).contract.answer
    said = ("takes", "returns", "sets", "is read in", "by default", "has no default")
    assert not [each for each in said if each in answer]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_query_speaks_of_the_same_things(language: str) -> None:
    named = {each for each in grammar(language).captures if not each.startswith("_")}
    assert {"function", "name", "call"} <= named <= CAPTURES


def test_what_a_function_returns_is_told_with_what_its_documentation_says(
    ask_of: Callable[[str], Ask],
) -> None:
    answer = ask_of("python")("What does fetch_page return?").contract.answer
    assert answer.startswith("`fetch_page` returns `str`: ")


def test_what_two_functions_of_a_name_return_alike_is_told_once(remember: Remember) -> None:
    rate = "def rate(day: str) -> float:\n    return 1.0\n"
    reply = remember({"one.py": rate, "two.py": rate}).ask("What does rate return?")
    assert reply.contract.answer == "`rate` returns `float` [1,2]."
    assert {cited.path for cited in reply.citations} == {"one.py", "two.py"}


def test_constants_of_a_class_are_all_fields_of_it(remember: Remember) -> None:
    oven = 'class Oven:\n    LOW = 1\n    HIGH = 2\n    door = "shut"\n'
    answer = remember({"oven.py": oven}).ask("Which fields does Oven have?").contract.answer
    assert answer.startswith('`Oven` has `LOW = 1`, `HIGH = 2` and `door = "shut"`')


def test_members_are_the_constants_that_a_type_begins_or_its_methods(remember: Remember) -> None:
    oven = (
        "package oven\n\n// Heat of an oven.\ntype Heat int\n\nconst (\n"
        "\tHeatOff Heat = iota\n\tHeatLow\n\tHeatHigh\n)\n\n"
        "// Rise makes it hotter.\nfunc (h Heat) Rise() Heat { return h + 1 }\n"
    )
    memory = remember({"oven.go": oven})
    values = memory.ask("all Heat values").contract.answer
    methods = memory.ask("Which methods does Heat have?").contract.answer
    assert values.startswith("`Heat` has `HeatOff`, `HeatLow` and `HeatHigh`")
    assert methods.startswith("`Heat` has `Rise`")
