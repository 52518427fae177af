"""Whatever the methods of a memory and of its nouns take and give comes from `quipu` itself."""

import ast
import importlib
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import pytest

import quipu
from quipu import Entities, Facts, Incidents, JobQueue, Memory, Values

NOUNS = (Memory, Incidents, Values, Entities, Facts, JobQueue)


def imported_for_types(module: Any) -> dict[str, object]:
    """What stands under `if TYPE_CHECKING:`, by name."""
    found: dict[str, object] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If):
            for each in node.body:
                assert isinstance(each, ast.ImportFrom)
                home = importlib.import_module(each.module or "")
                found |= {name.name: getattr(home, name.name) for name in each.names}
    return found


def function_of(member: object) -> Callable[..., object] | None:
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    if isinstance(member, classmethod | staticmethod):
        return member.__func__
    return member if inspect.isfunction(member) else None


def types_in(hint: object) -> Iterator[type]:
    given = typing.get_args(hint)
    for each in given:
        for one in each if isinstance(each, list) else [each]:
            yield from types_in(one)
    kind = typing.get_origin(hint) or hint
    if isinstance(kind, type) and kind.__module__.startswith("quipu"):
        yield kind


def public_methods() -> Iterator[tuple[str, type, Callable[..., object]]]:
    for noun in NOUNS:
        for name, member in vars(noun).items():
            function = function_of(member)
            if function is not None and (name == "__call__" or not name.startswith("_")):
                yield f"{noun.__name__}.{name}", noun, function


@pytest.mark.parametrize(
    ("noun", "function"), [pytest.param(n, f, id=name) for name, n, f in public_methods()]
)
def test_what_a_method_takes_and_gives_is_exported(
    noun: type, function: Callable[..., object]
) -> None:
    module = sys.modules[noun.__module__]
    known = vars(module) | imported_for_types(module)
    hints = typing.get_type_hints(function, known, {"list": list})
    for hint in hints.values():
        for kind in types_in(hint):
            assert getattr(quipu, kind.__name__, None) is kind


@pytest.mark.parametrize("name", quipu.__all__)
def test_every_exported_name_can_be_imported(name: str) -> None:
    assert getattr(quipu, name) is not None
