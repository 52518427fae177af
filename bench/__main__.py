"""`python -m bench NAME`: `speed` prints figures as JSON; the others have arguments of their own.

`torture` (trials that pass or fail), `store_kills` (the same on servers), `size` (how large the
code is), `route` (the rooms that a question goes through), `stated` (changes of stated facts),
`explore` (files that a change touched) and `ablate` (what each part is worth).
"""

from __future__ import annotations

import importlib
import sys

NAMES = ("ablate", "explore", "route", "size", "speed", "stated", "store_kills", "torture")


def main() -> int:
    """Run the named measurement; `speed` without a name."""
    name = (sys.argv[1:] or ["speed"])[0]
    if name not in NAMES:
        print(f"{__doc__}\n{name!r} is none of {', '.join(NAMES)}", file=sys.stderr)
        return 2
    module = importlib.import_module(f"bench.{'torture.run' if name == 'torture' else name}")
    return module.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
