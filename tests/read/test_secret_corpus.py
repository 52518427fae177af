"""Of everyday texts nearly every secret goes, and what only looks like one stays."""

import pytest
from tests.read.secret_corpus import Half, forms, is_left, lookalikes

from quipu.read import redact

_GONE = 0.95
"""The share of secrets that must be taken out."""
_LOST = 0.01
"""The share of look-alikes that may be changed."""
_HALVES: tuple[Half, ...] = ("tuned", "kept")


@pytest.mark.parametrize("half", _HALVES)
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_secrets_of_everyday_texts_go(half: Half, seed: str) -> None:
    left: list[str] = []
    every = 0
    for row in forms(half, seed):
        text, _ = redact(row.text)
        left += [row.name for secret in row.secrets if is_left(secret, text)]
        every += len(row.secrets)
        assert text.count("\n") == row.text.count("\n"), row.name
        assert redact(text) == (text, {}), row.name
    print(f"{half}, seed {seed}: {every - len(left)} of {every} secrets gone; left in {left}")
    assert every >= 120
    assert len(left) <= (1 - _GONE) * every


@pytest.mark.parametrize("half", _HALVES)
def test_lookalikes_stay(half: Half) -> None:
    rows = lookalikes(half)
    lost = [row.name for row in rows if redact(row.text)[0] != row.text]
    print(f"{half}: {len(lost)} of {len(rows)} look-alikes changed: {lost}")
    assert len(rows) >= 100
    assert len(lost) <= _LOST * len(rows)
