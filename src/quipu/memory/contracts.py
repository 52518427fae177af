"""Answer contracts from outside, checked against a memory and its folder."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quipu.errors import InvalidInput

if TYPE_CHECKING:
    from quipu.answer.examine import Examined, OnDisk
    from quipu.ports import Planner

__all__ = ["check_contract"]

_LARGEST = 50_000_000


def check_contract(reply: Mapping[str, object], planner: "Planner", *, folder: Path) -> "Examined":
    """Whether an answer contract holds, with all that its evidence names looked up; `reply` may
    be the envelope that holds it under `contract`."""
    from quipu.answer.examine import examine

    inner = reply.get("contract")
    contract = cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) else reply
    return examine(contract, planner, disk=partial(_file, folder.resolve()))


def _file(folder: Path, path: str) -> "OnDisk | None":
    """A file of `folder`; None for what is none, leads out of it or is very large."""
    from quipu.answer.examine import OnDisk
    from quipu.read.decode import decode
    from quipu.read.source import content_hash, git_blob_id

    try:
        place = (folder / path).resolve()
        if not place.is_relative_to(folder) or not place.is_file():
            return None
        if place.stat().st_size > _LARGEST:
            return None
        data = place.read_bytes()
        return OnDisk(decode(data)[0], (content_hash(data), git_blob_id(data)))
    except (OSError, ValueError, InvalidInput):  # ValueError: a NUL in the path
        return None
