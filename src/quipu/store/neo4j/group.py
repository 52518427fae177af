"""A namespace as Graphiti may name it."""

import hashlib
import re

__all__ = ["group_of"]

_GROUP = re.compile(r"[A-Za-z0-9_-]+")


def group_of(namespace: str) -> str:
    """The namespace as a `group_id`, of which Graphiti allows letters, digits, `-` and `_`."""
    if _GROUP.fullmatch(namespace):
        return namespace
    digest = hashlib.sha256(namespace.encode()).hexdigest()[:12]
    return f"{re.sub('[^A-Za-z0-9_-]', '_', namespace)[:60]}_{digest}"
