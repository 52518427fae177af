"""Kill an indexing run at 25 random moments, run once more, and compare with an undisturbed run.

Compared is everything that `quipu export` writes, except the instants at which it was written.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.corpus import write_corpus
from bench.measure import quipu, run

TRIALS = 25
_PASSAGES = 2_000
_WRITTEN_AT = re.compile(r'"(?:ingested_at|recorded_at|known_until|exported_at)":"[^"]*"')


def measure(out: Path, passages: int) -> dict[str, Any]:
    """How many of the disturbed runs ended with exactly the undisturbed run's records."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "corpus"
        write_corpus(folder, min(passages, _PASSAGES))
        expected, wall_s = _records(folder, None)
        moments = random.Random(25)
        delays = [moments.uniform(0.05, 1.0) * wall_s for _ in range(TRIALS)]
        results = [_records(folder, delay)[0] for delay in delays]
    return {
        "trials": TRIALS,
        "records": len(expected),
        "same": sum(found == expected for found in results),
        "killed_after_s": [round(delay, 2) for delay in delays],
    }


def _records(folder: Path, kill_after_s: float | None) -> tuple[list[str], float]:
    """The records of a fresh index of `folder`, killed once after `kill_after_s` if given."""
    shutil.rmtree(folder / ".quipu", ignore_errors=True)
    run(quipu("init"), cwd=folder)
    command = quipu("index", ".", "--json", "--no-embed")
    if kill_after_s is not None:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(kill_after_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
    start = time.perf_counter()
    run(command, cwd=folder)
    wall_s = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as scratch:
        exported = Path(scratch) / "records.jsonl"
        run(quipu("export", str(exported)), cwd=folder)
        lines = exported.read_text(encoding="utf-8").splitlines()
    return sorted(_without_instants(line) for line in lines), wall_s


def _without_instants(line: str) -> str:
    return _WRITTEN_AT.sub("", json.dumps(json.loads(line), separators=(",", ":"), sort_keys=True))
