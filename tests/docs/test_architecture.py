"""The places that docs/architecture.md names exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:src/quipu|bench|tests)/[\w./-]*)`", PAGE)))


def test_every_place_exists() -> None:
    assert len(NAMED) > 20
    assert [place for place in NAMED if not (ROOT / place).exists()] == []
