"""A value that is the name of a constant is told with what the constant stands for."""

from collections.abc import Callable

import pytest

from quipu.memory import Memory

Remember = Callable[[dict[str, str]], Memory]
FILES = {
    "oven/settings.py": (
        '"""How an oven is set."""\n\nDEFAULT_HEAT = 180\nLIMITS = [1,\n    2]\n\n\n'
        "class Oven:\n"
        '    """An oven."""\n\n'
        "    preheat_degrees: int = DEFAULT_HEAT\n"
        "    heat_limits: list = LIMITS\n"
        "    is_gas: bool = False\n"
    ),
    "fridge/fridge.js": (
        "const DEFAULT_CHILL = '4 degrees'\n\n/** A fridge. */\nfunction makeFridge (options) {\n"
        "  options.chill_level = DEFAULT_CHILL\n  return options\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "line", "constant", "path"),
    [
        (
            "What is the default of preheat_degrees?",
            "`preheat_degrees` of `Oven` is `DEFAULT_HEAT`",
            "`DEFAULT_HEAT = 180`",
            "oven/settings.py",
        ),
        (
            "What is the default of chill_level?",
            "options.chill_level = DEFAULT_CHILL",
            "`DEFAULT_CHILL = '4 degrees'`",
            "fridge/fridge.js",
        ),
    ],
)
def test_the_constant_is_told_beside_its_name(
    remember: Remember, question: str, line: str, constant: str, path: str
) -> None:
    reply = remember(FILES).ask(question)
    assert line in reply.contract.answer
    assert constant in reply.contract.answer
    assert {citation.path for citation in reply.citations} == {path}


@pytest.mark.parametrize("name", ["is_gas", "heat_limits"])
def test_what_is_a_value_itself_or_long_has_nothing_beside_it(
    remember: Remember, name: str
) -> None:
    said = remember(FILES).ask(f"What is the default of {name}?").contract.answer
    assert name in said
    assert "LIMITS = [" not in said
