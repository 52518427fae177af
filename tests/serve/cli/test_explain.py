"""`quipu value` and `quipu explain` as a person uses them."""

import json
from pathlib import Path
from typing import Any

LEDGER = {
    "total_reclaimed_hours": 0.2,
    "history": [
        {"timestamp": "2026-02-01T08:00:00Z", "script": "a.sh", "reclaimed_hours": 0.1},
        {"timestamp": "2026-02-02T08:00:00Z", "script": "a.sh", "reclaimed_hours": 0.1},
    ],
}


def test_a_value_is_derived_and_explained(quipu: Any, tmp_path: Path) -> None:
    (tmp_path / "value_ledger.json").write_text(json.dumps(LEDGER))
    assert quipu("init").code == 0
    made = quipu("value")
    assert made.code == 0, made.err
    assert "total: 0.2\n" in made.out
    fact = quipu("value", "--json").document["fact_id"]
    shown = quipu("explain", fact)
    assert shown.code == 0
    assert "now runs 2, hours 0.1, hours from the default 0.1" in " ".join(shown.out.split())
    assert "recomputed: 0.2\nholds: yes" in shown.out
