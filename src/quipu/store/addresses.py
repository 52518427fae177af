"""Addresses of stores on servers, which may hold a password: what of one may be shown."""

import re

__all__ = ["shown"]

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
