"""What is done in a peer's own environment, a process each.

    python -m bench.peers.process PEER index JOB.json
    python -m bench.peers.process PEER search JOB.json

The job names the corpus, the store, the model, the questions and the file for the figures. Nothing
of Quipu is imported here, so that what a process takes is the peer's.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from bench.peers.systems import Passage


def read_passages(folder: Path) -> list[Passage]:
    """The rows of `corpus.jsonl`, in order."""
    with (folder / "corpus.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return [Passage(str(row["id"]), row.get("title") or "", row["text"]) for row in rows]


def _search(system: Any, job: dict[str, Any]) -> dict[str, Any]:
    search = system.opened(Path(job["store"]), Path(job["model"]))
    for question in job["warm_up"]:
        search(question)
    found: dict[str, Any] = {"hits": {}, "clock_ms": [], "processor_ms": []}
    for key, question in job["questions"].items():
        start, before = time.perf_counter(), time.process_time()
        found["hits"][key] = search(question)
        found["processor_ms"].append(1e3 * (time.process_time() - before))
        found["clock_ms"].append(1e3 * (time.perf_counter() - start))
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return found | {"resident_mb": pages * os.sysconf("SC_PAGESIZE") / 1e6}


def main(peer: str, task: str, job_file: str) -> None:
    """Do it and write the figures."""
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    passages = read_passages(Path(job["corpus"])) if task == "index" else []
    system = importlib.import_module(f"bench.peers.systems.{peer}")
    figures: dict[str, Any] = {"passages": len(passages)}
    if task == "index":
        system.index(passages, Path(job["store"]), Path(job["model"]))
    else:
        figures = _search(system, job)
    Path(job["figures"]).write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # what a peer's threads still want to say is not waited for
