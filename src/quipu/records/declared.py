"""How a setting declares whether the file of a folder may make it without the user's word.

Text can name a server, a key, a file, a store or a command: it needs trust unless its setting is
declared ORDINARY. Numbers and choices do not, unless theirs is declared NEEDS_TRUST.
"""

from typing import Any, Final

__all__ = ["NEEDS_TRUST", "ORDINARY", "trust_unless"]

ORDINARY: Final[dict[str, Any]] = {"trust": False}
NEEDS_TRUST: Final[dict[str, Any]] = {"trust": True}


def trust_unless(*harmless: str) -> dict[str, Any]:
    """Needs trust, but for these values."""
    return {"trust": True, "harmless": harmless}
