"""The names of `rotation` for those who import them from here."""

from quipu.index.rotation import (
    LEVELS,
    Codes,
    decoded,
    rotated,
    sketch_width,
    sketched,
    turned,
    turned_back,
    turned_dimension,
)

__all__ = [
    "LEVELS",
    "Codes",
    "decoded",
    "rotated",
    "sketch_width",
    "sketched",
    "turned",
    "turned_back",
    "turned_dimension",
]
