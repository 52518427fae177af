"""Writes a vault with basic-memory's own writer and prints, as JSON, what its own reader finds.

Run by `test_suites.py` where `basic-memory` is installed: `python basic_memory_vault.py FOLDER`.
"""

import asyncio
import json
import sys
from pathlib import Path

from basic_memory.markdown import (
    EntityFrontmatter,
    EntityMarkdown,
    EntityParser,
    MarkdownProcessor,
    Observation,
    Relation,
)

NAMES = "Atlas Borealis Calypso Delphi Echo Fjord Gaia Hermes Iris Juno".split()
TYPES = ("depends_on", "implements", "part of", "inspired by", "relates_to")


def notes() -> dict[str, EntityMarkdown]:
    """Ten notes with fourteen relations and twenty observations, by their paths."""
    made: dict[str, EntityMarkdown] = {}
    for at, name in enumerate(NAMES):
        targets = [NAMES[(at + 1) % 10], f"notes/{NAMES[(at + 3) % 10].lower()}"][: 1 + (at < 4)]
        made[f"notes/{name}.md"] = EntityMarkdown(
            frontmatter=EntityFrontmatter(
                metadata={
                    "title": name,
                    "type": "note",
                    "permalink": f"notes/{name.lower()}",
                    "tags": ["project", f"tier{at % 3}"],
                }
            ),
            content=f"# {name}\n\nThe project {name} has the colour number {at}.\n",
            observations=[
                Observation(category="tech", content=f"{name} is written in dialect {at} #code"),
                Observation(
                    category="decision", content=f"{name} ships on Mondays", context="as agreed"
                ),
            ],
            relations=[
                Relation(type=TYPES[(at + n) % 5], target=target, context="see the plan")
                for n, target in enumerate(targets)
            ],
        )
    return made


async def main(folder: Path) -> None:
    parser = EntityParser(folder)
    processor = MarkdownProcessor(parser)
    found: dict[str, object] = {}
    for path, note in notes().items():
        await processor.write_file(folder / path, note)
    for path in notes():
        read = await parser.parse_file(folder / path)
        found[path] = {
            "relations": [[r.type, r.target] for r in read.relations],
            "observations": [[o.category, o.content, o.context] for o in read.observations],
            "tags": read.frontmatter.tags,
        }
    print(json.dumps(found))


asyncio.run(main(Path(sys.argv[1])))
