"""Which licence a licence file holds, told by the words that each licence begins with."""

import re

from quipu.patterns import late

__all__ = ["LICENCES", "licence_of"]

LICENCES = tuple(
    f"{name}{end}"
    for name in ("license", "licence", "copying", "unlicense")
    for end in ("", ".txt", ".md", ".rst")
)
"""What a licence file is called, as names are compared, the most usual first."""

_LOOKED_AT = 4000
_GNU = r"GNU\s+{}GENERAL\s+PUBLIC\s+LICENSE\s+Version\s+{}\b"
# The most telling first: a text may name other licences further down.
_TELLING: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, late(pattern, re.IGNORECASE))
    for name, pattern in (
        ("Apache-2.0", r"Apache\s+License,?\s+Version\s+2\.0\b"),
        ("AGPL-3.0", _GNU.format(r"AFFERO\s+", "3")),
        ("LGPL-3.0", _GNU.format(r"LESSER\s+", "3")),
        ("LGPL-2.1", _GNU.format(r"LESSER\s+", r"2\.1")),
        ("GPL-3.0", _GNU.format("", "3")),
        ("GPL-2.0", _GNU.format("", "2")),
        ("MPL-2.0", r"Mozilla\s+Public\s+License,?\s+(?:Version\s+|v\.?\s*)?2\.0\b"),
        ("EPL-2.0", r"Eclipse\s+Public\s+License\s*-?\s*v(?:ersion)?\s*2\.0\b"),
        ("BSL-1.0", r"Boost\s+Software\s+License\s*-\s*Version\s+1\.0\b"),
        ("CC0-1.0", r"CC0\s+1\.0\s+Universal\b"),
        ("Unlicense", r"free\s+and\s+unencumbered\s+software\s+released\s+into\s+the\s+public"),
        ("ISC", r"use,\s+copy,\s+modify,\s+and(?:/or)?\s+distribute\s+this\s+software\s+for\s+any"),
        ("MIT", r"free\s+of\s+charge,\s+to\s+any\s+person\s+obtaining\s+a\s+copy"),
        ("BSD-3-Clause", r"source\s+and\s+binary\s+forms(?s:.{1,1500})\bNeither\s+the\s+name"),
        ("BSD-2-Clause", r"Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms"),
    )
)


def licence_of(text: str) -> str:
    """The SPDX name of the licence that `text` is; "" where it is none that is known."""
    head = text[:_LOOKED_AT]
    return next((name for name, pattern in _TELLING if pattern.search(head)), "")
