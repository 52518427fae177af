"""Lists read off code by their brackets, and how long hostile code may take."""

import time

import pytest

from quipu.kinds.files import literals, messages
from quipu.kinds.files.code_text import CodeLines, tokens_of
from quipu.kinds.files.listings import listings, typed_constants
from quipu.kinds.files.surroundings import statement_lines

_SECONDS = 2.0


def _code(path: str, text: str) -> CodeLines:
    lines = tuple(text.split("\n"))
    return CodeLines(path, 1, lines, (None,) * len(lines))


def _read(path: str, text: str) -> list[tuple[str, ...]]:
    return [each.items for each in listings(_code(path, text))]


@pytest.mark.parametrize(
    ("path", "text", "items"),
    [
        ("a.py", 'KINDS: dict[str, int] = {"fine": 1, "coarse": 2}', ("fine", "coarse")),
        ("a.rs", 'pub static KINDS: [&str; 2] = ["fine", "coarse"];', ("fine", "coarse")),
        ("a.ts", "const kinds: [string, number] = ['fine', 'coarse']", ("fine", "coarse")),
        ("a.py", 'KINDS = frozenset({"fine", "coarse"})', ("fine", "coarse")),
        ("a.js", "mill = { kinds: [fine, coarse] }", ("fine", "coarse")),
        ("a.yml", "kinds: [fine, coarse]", ("fine", "coarse")),
    ],
)
def test_the_value_is_read_and_not_its_type(path: str, text: str, items: tuple[str, ...]) -> None:
    assert _read(path, text) == [items]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "kinds: dict[str, int]"),
        ("a.ts", "interface Mill {\n  pair: [string, number]\n}"),
        ("a.cpp", 'std::map<int, int> kinds = {{"fine", 1}, {"coarse", 2}};'),
    ],
)
def test_a_type_or_one_pair_of_several_is_no_list(path: str, text: str) -> None:
    assert _read(path, text) == []


def test_many_marks_before_a_name_are_passed_over() -> None:
    assert _read("a.rs", f"const A: &[&str] = &[{'& ' * 1000}one, two];") == [("one", "two")]


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "\n".join([*["(" * 60] * 160, *[")" * 60] * 160]),
        "\n".join(["a=[" * 30] * 200),
        "a=[" * 5000 + "]" * 5000,
    ],
)
def test_nested_brackets_are_read_in_time(text: str) -> None:
    begun = time.process_time()
    _read("a.js", text)
    assert time.process_time() - begun < _SECONDS


def test_long_lines_and_literals_are_read_in_time() -> None:
    begun = time.process_time()
    typed_constants(_code("a.go", "\n".join([f"const x{' ' * 1900}y"] * 60)), "Kind")
    for text in ('"%' + "0" * 19_000 + '"', '"' + '#"' * 9000, '"a"+(' * 4000):
        list(literals.texts_in(tokens_of("a.py", text)))
    for path in ("a.py", "a.rs"):
        assert len(tokens_of(path, '\\"' * 10_000)) == 10_000
    assert messages._ARM.search(f"::a{' ' * 60_000}") is None
    tokens = tokens_of("a.py", "(" * 6000)
    assert statement_lines(tokens, 5999, 5999) == (0, 0)
    assert time.process_time() - begun < _SECONDS
