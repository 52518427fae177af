"""Index a folder: `python index.py FOLDER ENGINE ADDRESS`; says how far it is, line by line."""

import sys
from pathlib import Path

from quipu.config import Config, EmbedConfig, IndexConfig
from quipu.memory import Memory


def main() -> None:
    folder, engine, address = sys.argv[1:]
    config = Config(
        index=IndexConfig(engine=engine, address=address),  # type: ignore[arg-type]
        embed=EmbedConfig(model="minilm", cache_mb=0),
    )
    home = Path(folder)
    clock = lambda: "2027-01-01T00:00:00.000Z"  # noqa: E731
    with Memory.open(home / ".quipu" / "quipu.db", config=config, clock=clock) as memory:
        report = memory.index(
            home / "notes", progress=lambda *far: print(*far, file=sys.stderr, flush=True)
        )
        memory.export(home / "all.jsonl", vectors=True)
    print(len(report.added), [each.path for each in report.errors], report.embedded)


main()
