"""`python -m bench [speed] [day]`: run the measurements and print them as one JSON document.

A measurement is a module of this package with `measure(out: Path, passages: int) -> dict`; results
are written to `bench/out/NAME.json` too. `--passages N` sets the size of the synthetic corpus.

These have arguments of their own: `python -m bench torture` (trials that pass or fail), `size` (how
large the code is), `route` (the rooms that a question goes through), `ablate` (what each part is
worth), `scale` (a memory grown to a million passages, which takes hours), `stores` (each database
beside the others) and `store_kills`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
from pathlib import Path

NAMES = ("speed", "day")
APART = {
    **{
        name: f"bench.{name}"
        for name in ("ablate", "route", "scale", "size", "stores", "store_kills")
    },
    "torture": "bench.torture.run",
}


def main() -> int:
    """Run the named measurements (all of them without a name)."""
    if (name := "".join(sys.argv[1:2])) in APART:
        return importlib.import_module(APART[name]).main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="which to run; default all")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, object] = {"python": platform.python_version(), "cpu": _cpu()}
    for name in chosen.names or NAMES:
        module = importlib.import_module(f"bench.{name}")
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures[name] = module.measure(chosen.out, chosen.passages)
        text = json.dumps(figures[name], indent=2)
        (chosen.out / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2))
    return 0


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if "model name" in line), "")


if __name__ == "__main__":
    sys.exit(main())
