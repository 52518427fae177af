"""One peer over one corpus: its processes, and what came of them."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import Run, run
from bench.peers.environments import ROOT, packages_mb, packages_of
from bench.peers.peers import Peer

__all__ = ["Trial"]


class Trial:
    """What was measured so far; after a failure nothing more is tried."""

    def __init__(self, peer: Peer, scratch: Path, model: Path, corpus: Path) -> None:
        """Its store is a folder of its own below `scratch`, and so is its home."""
        self.peer, self._model, self._corpus = peer, model, corpus.resolve()
        self._folder = scratch / peer.name
        self.python = Path()
        self.failed = ""
        self.installed_mb = self.distributions = self.passages = 0
        self.indexing: dict[str, float] = {}
        self.hits: dict[str, list[str]] = {}
        self.clock_ms: list[float] = []
        self.processor_ms: list[float] = []
        self.resident_mb: list[float] = []
        self.cold: list[Run] = []
        for place in ("store", "home"):
            (self._folder / place).mkdir(parents=True)

    def step(self, name: str, work: Callable[[], None]) -> None:
        """Do it, unless an earlier step failed."""
        if self.failed:
            return
        print(f"{self.peer.name}: {name}", file=sys.stderr, flush=True)
        try:
            work()
        except (OSError, RuntimeError) as error:
            said = str(error).strip().splitlines() or [repr(error)]
            print(f"{self.peer.name}: {error}", file=sys.stderr, flush=True)
            self.failed = f"{name}: {said[-1].strip()}"

    def install(self, python: Path) -> None:
        """Its environment is there."""
        self.python = python
        packages = packages_of(python)
        self.installed_mb = round(packages_mb(packages))
        self.distributions = sum(1 for _ in packages.glob("*.dist-info"))

    def index(self) -> None:
        """Everything into its store, in one process, start included."""
        done, figures = self._process("index")
        self.passages = figures["passages"]
        self.indexing = {
            "s": round(done.wall_s, 1),
            "processor_s": round(done.processor_s, 1),
            "passages_per_s": round(self.passages / done.wall_s, 1),
            "peak_mb": round(done.peak_mb),
        }

    def search(self, questions: dict[str, str], warm_up: list[str]) -> None:
        """The questions in a new process, after others that do not count."""
        _, figures = self._process("search", questions=questions, warm_up=warm_up)
        self.hits |= figures["hits"]
        self.clock_ms += figures["clock_ms"]
        self.processor_ms += figures["processor_ms"]
        self.resident_mb.append(figures["resident_mb"])

    def begin(self, question: dict[str, str]) -> None:
        """A whole process for one question."""
        done, _ = self._process("search", questions=question, warm_up=[])
        self.cold.append(done)

    def disk_mb(self) -> float:
        """All that it wrote, outside of the corpus."""
        files = (file for file in self._folder.rglob("*") if file.is_file())
        return round(sum(file.stat().st_size for file in files) / 1e6, 1)

    def _process(self, task: str, **more: Any) -> tuple[Run, dict[str, Any]]:
        job, figures = self._folder.with_suffix(".job"), self._folder.with_suffix(".figures")
        told = {
            "corpus": str(self._corpus),
            "store": str(self._folder / "store"),
            "model": str(self._model),
            "figures": str(figures),
        }
        job.write_text(json.dumps(told | more), encoding="utf-8")
        command = [str(self.python), "-m", "bench.peers.process", self.peer.name, task, str(job)]
        done = run(command, cwd=self._folder / "store", env=self._environment())
        return done, json.loads(figures.read_text(encoding="utf-8"))

    def _environment(self) -> dict[str, str]:
        """Little of ours: a home of its own, no hub asked, nothing told to anybody."""
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
        return kept | {
            "HOME": str(self._folder / "home"),
            "PYTHONPATH": str(ROOT),
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "ANONYMIZED_TELEMETRY": "False",
            "CUDA_VISIBLE_DEVICES": "",
        }
