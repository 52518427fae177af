"""What `python -m bench size` counts."""

from bench.size import constants


def test_numbers_expressions_and_sets_of_words_of_modules_are_counted() -> None:
    text = """
__all__ = ["one", "two", "three"]
_MOST, _LEAST = 0.7, -1
_SIZE = 1 << 20
_NAME = "quipu"
_WORD = re.compile(r"a")
_DAYS = frozenset("mon tue wed".split())
_KEYS = {"a": 1, "b": 2, "c": 3}


def inside() -> None:
    local = 5
"""
    assert constants({"a.py": text}) == {"numbers": 3, "expressions": 1, "words": 2, "": 1}
