"""Whole-process figures: wall seconds and peak memory of a command, percentiles of a list."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_POLL_S = 0.05


class Run(NamedTuple):
    """A finished command; `peak_mb` is the most its whole process tree held at once.

    `processor_s` is what it and its processes took of all cores, while no other child ended.
    """

    wall_s: float
    peak_mb: float
    output: str
    processor_s: float


def run(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Run:
    """Run `command` to its end; a failure raises with what it printed on standard error."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start, before = time.perf_counter(), _children_s()
        process = subprocess.Popen(command, cwd=cwd, env=env, stdout=output, stderr=errors)
        peak_mb = 0.0
        while process.poll() is None:
            peak_mb = max(peak_mb, _tree_mb(process.pid))
            time.sleep(_POLL_S)
        wall_s = time.perf_counter() - start
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise RuntimeError(f"{command} ended with {process.returncode}: {errors.read()}")
        return Run(wall_s, peak_mb, output.read(), _children_s() - before)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quipu(*arguments: str) -> list[str]:
    """The command line of this environment's Quipu."""
    return [str(Path(sys.executable).with_name("quipu")), *arguments]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def resident_mb(pid: int | str = "self") -> float:
    """The resident memory of a process now (Linux); 0 when it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def _tree_mb(pid: int) -> float:
    total = resident_mb(pid)
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text(encoding="ascii").split()
        except OSError:
            continue
        total += sum(_tree_mb(int(child)) for child in children)
    return total
