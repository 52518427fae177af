"""docs/map.md names places that exist, and leaves no room of the house out."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:src/quipu|bench|tests)/[\w./-]*)`", PAGE)))


def test_every_place_exists() -> None:
    assert len(NAMED) > 30
    assert [place for place in NAMED if not (ROOT / place).exists()] == []


def test_every_room_is_on_the_map() -> None:
    rooms = {p for p in (ROOT / "src" / "quipu").iterdir() if not p.name.startswith(("_", "."))}
    names = {p.name for p in rooms if p.suffix == ".py" or (p / "__init__.py").exists()}
    unnamed = [name for name in sorted(names) if f"src/quipu/{name}" not in PAGE]
    assert unnamed == []
