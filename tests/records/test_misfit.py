"""What a value is that does not fit its shape: the field, the value, what fits."""

from typing import Any

import msgspec
import pytest

from quipu.records.misfit import misfit


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: int
    name: str = ""


class Outer(msgspec.Struct):
    inner: list[Inner] = []
    by: dict[str, int] = {}


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"inner": [{"size": "big"}]}, "inner[0].size is 'big', and int is wanted"),
        ({"inner": [{"size": 1}, {"size": None}]}, "inner[1].size is None, and int is wanted"),
        ({"inner": {"a": 1}}, "inner is {'a': 1}, and array is wanted"),
        ({"inner": [{}]}, "inner[0] lacks the field 'size'"),
        ({"inner": [{"size": 1, "x": 2}]}, "inner[0] has the unknown field 'x'"),
        ({"by": {"k": "v"}}, "by: Expected `int`, got `str` in {'k': 'v'}"),
        (7, "the record is 7, and object is wanted"),
    ],
)
def test_a_misfit_is_named(held: Any, said: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(held, Outer)
    assert misfit(caught.value, held) == said
