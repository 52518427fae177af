"""A small day of agents (`bench/day.py`): several processes write and recall at once, then the
same with kills."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

RUN = """
import json, sys
from pathlib import Path
from bench.day import Day, both_days
day = Day(turns=200, writers=2, readers=2, write_pace_s=0.0, recall_pace_s=0.1, fake=True)
print(json.dumps(both_days(Path(sys.argv[1]), day)))
"""


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("day")
    command = [sys.executable, "-c", RUN, str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def test_nothing_is_lost_while_several_write_and_others_recall(day: dict[str, Any]) -> None:
    assert day["said"] == []
    assert (day["turns"], day["entries"], day["failures"]) == (200, 4, 0)
    assert day["found"] == {"turns": 200, "entries": 4, "passages": 204}
    assert day["recall"]["recalls"] >= 2


def test_a_day_with_kills_ends_with_the_same_records(day: dict[str, Any]) -> None:
    killed = day["killed"]
    assert killed["kills"] >= 2
    assert killed["said"] == []
    assert (killed["failures"], killed["found"]) == (0, day["found"])
    assert killed["records"] > 204
    assert killed["same"], killed
