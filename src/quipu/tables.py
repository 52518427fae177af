"""Tables of words, names and expressions that stand as TOML beside the code that reads them."""

import tomllib
from importlib.resources import files
from typing import Any

__all__ = ["read_table"]


def read_table(package: str, *path: str) -> dict[str, Any]:
    """Return what the TOML file at `path` below a `package` of Quipu holds."""
    return tomllib.loads(files(package).joinpath(*path).read_text("utf-8"))
