"""Where a file may be put over what is there."""

from pathlib import Path

from quipu.errors import InvalidInput

__all__ = ["require_file_name"]


def require_file_name(path: Path) -> None:
    """Raises InvalidInput when `path` is no place for a file: one that is written beside and then
    renamed would take the place of a device or a pipe, `/dev/null` among them."""
    if not path.name:
        raise InvalidInput(f"{str(path)!r} names no file: write the name of one")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInput(f"{str(path)!r} is a device or a pipe: name a file")
