"""Where a file may be put over what is there."""

from pathlib import Path

from quipu.errors import InvalidInput

__all__ = ["require_target"]


def require_target(path: Path, *, overwrite: bool) -> None:
    """Raises InvalidInput when `path` is no place for a file: one that is written beside and then
    renamed would take the place of a device or a pipe, `/dev/null` among them. A file that is
    there is in its place too, unless it is to be overwritten."""
    if not path.name:
        raise InvalidInput(f"{str(path)!r} names no file: write the name of one")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInput(f"{str(path)!r} is a device or a pipe: name a file")
    if not overwrite and path.exists():
        raise InvalidInput(
            f"{str(path)!r} is there already: name another file, or write over it with --force "
            "(overwrite=True)"
        )
