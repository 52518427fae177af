"""Addresses of stores on servers, which may hold a password: what of one may be shown, and which
library it needs."""

import re
from collections.abc import Generator
from contextlib import contextmanager

from quipu.errors import MissingExtra

__all__ = ["library_needed", "shown"]

# A password that holds "@" or "/" as they are is no valid address, and must not be shown either.
_LOGIN = re.compile(r"(?<=://)([^:/?#@]*):.*@")
_SECRET = re.compile(r"(?i)(?<=[?&])(\w*(?:password|secret))=[^&#]*")


def shown(url: str) -> str:
    """`url` without the password it may hold: what messages, files and other programs are given.

    A user's name stays, since it tells stores apart: `scheme://user@host/…`.
    """
    if "://" not in url:
        return url
    return _SECRET.sub(r"\1=***", _LOGIN.sub(r"\1@", url))


@contextmanager
def library_needed(url: str, library: str, *, extra: str) -> Generator[None]:
    """A block of imports for the store at `url`; MissingExtra where `library` is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith(library):
            raise
        raise MissingExtra(
            f"{shown(url)!r} needs the library {error.name!r}: pip install 'quipu-memory[{extra}]'"
        ) from error
