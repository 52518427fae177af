"""Expressions that are compiled late are as good as those compiled at once."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import quipu
from quipu import patterns

SOURCE = Path(quipu.__file__).parent
USERS = sorted(
    ".".join(("quipu", *path.relative_to(SOURCE).with_suffix("").parts))
    for path in SOURCE.rglob("*.py")
    if "from quipu.patterns import" in path.read_text(encoding="utf-8")
)


def held(value: object) -> list[patterns._Late]:
    if isinstance(value, patterns._Late):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [each for part in value for each in held(part)] if isinstance(value, (list, tuple)) else []
    )


@pytest.mark.parametrize("module", USERS)
def test_every_late_expression_compiles(module: str) -> None:
    found = [each for value in vars(import_module(module)).values() for each in held(value)]
    assert found
    for each in found:
        assert re.compile(*each._given).pattern == each.pattern
