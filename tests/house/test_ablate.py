"""What `python -m bench ablate` takes away is there, and comes back."""

import importlib
from typing import Any

import numpy as np
import pytest
from bench.ablate import SWITCHES, interval, without


def _held(place: str) -> Any:
    module, _, path = place.partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("part", SWITCHES)
def test_a_part_is_taken_away_and_comes_back(part: str) -> None:
    before = [_held(switch.place) for switch in SWITCHES[part]]
    with without(part):
        for switch, whole in zip(SWITCHES[part], before, strict=True):
            assert _held(switch.place) is not whole
    assert all(
        _held(switch.place) is whole for switch, whole in zip(SWITCHES[part], before, strict=True)
    )


def test_the_interval_of_what_always_wins_lies_above_nothing() -> None:
    low, high = interval(np.array([1.0, 0.0, 1.0, 1.0] * 20))
    assert 0 < low < 0.75 < high


def test_the_interval_of_noise_holds_nothing() -> None:
    low, high = interval(np.array([1.0, -1.0] * 40))
    assert low < 0 < high
