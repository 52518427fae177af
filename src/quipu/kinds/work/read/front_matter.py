"""One goal or task a Markdown file: its fields at the head, its description below."""

from pathlib import PurePosixPath
from typing import Any

from quipu.kinds.work.model import WorkKind
from quipu.kinds.work.read.records import KIND_WORDS, WorkRead, kind_of, read_record, united
from quipu.kinds.work.read.tasklist import read_points
from quipu.read.fields import slug
from quipu.read.front_matter import split_front_matter
from quipu.records.document import Problem

__all__ = ["read_note", "tells_of_work"]


def tells_of_work(text: str) -> bool:
    """Whether the front matter says `type: goal` or `kind: task`."""
    held, lines, _ = split_front_matter(text)
    return bool(lines) and kind_of(held) is not None


def read_note(path: str, text: str, *, seen: str, kind: WorkKind | None = None) -> WorkRead:
    """The goal or task of a file, and the points of its text as its tasks."""
    held, lines, warning = split_front_matter(text)
    rest = text.split("\n")[lines:]
    chosen = kind_of(held) or kind
    record: dict[str, Any] = {**held}
    if "kind" in record and str(record["kind"]).lower() in KIND_WORDS:
        record.pop("type", None)
    record.setdefault("id", slug(PurePosixPath(path).stem))
    heading = next((n for n, line in enumerate(rest) if line.startswith("# ")), None)
    if heading is not None and not record.get("title"):
        record["title"] = rest[heading][2:].strip()
    record.setdefault("title", PurePosixPath(path).stem)
    body = "\n".join(line for n, line in enumerate(rest) if n != heading).strip()
    record.setdefault("description", body)
    own = read_record(record, at=path, seen=seen, kind=chosen)
    told = [WorkRead(problems=(Problem(path, warning, "warning"),))] if warning else []
    if not own.items:
        return united([*told, own])
    item = own.items[0]
    points = read_points(
        path,
        "\n".join(rest),
        seen=seen,
        goal=item.id if item.kind == "goal" else None,
        under=item.id if item.kind == "task" else None,
        first_line=lines + 1,
    )
    return united([*told, own, points])
