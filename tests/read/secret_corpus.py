"""Everyday texts with a secret in them, and texts that only look so: `tests/read/secrets/*.txt`.

The texts were written from what the formats are, before the rules were read. A secret is a mark
such as `<<word>>` or `<<hex:32>>`; its value is made of a seed when it is asked for, so that no
scanner takes the file for a leak. Every second row was not looked at while the rules were written
(`half="kept"`).
"""

import base64
import random
import re
import string
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["Half", "Row", "filled", "forms", "is_left", "lookalikes"]

Half = Literal["tuned", "kept"]
_FOLDER = Path(__file__).parent / "secrets"
_ROW = re.compile(r"(?m)^=== (?P<name>.+) \| (?P<path>\S+)\n")
_MARK = re.compile(r"<<(\w+)(?::(\w+))?>>")
_CODED = re.compile(r"\{b64:([^{}]*)\}")
_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_ALNUM = string.ascii_letters + _DIGITS
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "alnum": _ALNUM,
    "letter": _LOWER,
    "Letter": string.ascii_letters,
    "lower": _LOWER + _DIGITS,
    "upper": _UPPER + _DIGITS,
    "digit": _DIGITS,
    "nonzero": "123456789",
    "url": _ALNUM + "_-",
    "b64": _ALNUM + "+/",
    "b32": _UPPER + "234567",
    "crypt": _ALNUM + "./",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_WORDS = ("marlin", "Tofu", "winter", "plum", "Kestrel", "gravel", "Lantern", "otter", "Saffron")
_SIGNS = {  # what a password may hold where it stands bare, in "…" and in '…'
    "q": "!%&*+=?^~@/",
    "j": "!#%&*+=?^~@/()[]{},;:'|-",
    "q1": '!#%&*+=?^~@/()[]{},;:"$|-',
}


class Row(NamedTuple):
    """A text as the file `path` holds it, and the secrets in it."""

    name: str
    path: str
    text: str
    secrets: tuple[str, ...]


def forms(half: Half, seed: str = "1") -> list[Row]:
    """Every second text with a secret, with the values of this seed."""
    return [_filled(row, seed) for row in _rows("forms.txt", half)]


def lookalikes(half: Half) -> list[Row]:
    """Every second text that must stay as it is."""
    return _rows("lookalikes.txt", half)


def is_left(secret: str, text: str) -> bool:
    """Whether the secret is in `text`, whole or half."""
    middle = max(len(secret) // 2, 6)
    return any(part in text for part in (secret, secret[:middle], secret[-middle:]))


@cache
def _all(file: str) -> list[Row]:
    parts = _ROW.split((_FOLDER / file).read_text("utf-8"))[1:]
    return [Row(*parts[at : at + 3], secrets=()) for at in range(0, len(parts), 3)]


def _rows(file: str, half: Half) -> list[Row]:
    return _all(file)[half == "kept" :: 2]


def _filled(row: Row, seed: str) -> Row:
    text, secrets = filled(row.text, random.Random(f"{seed}/{row.name}"))
    return row._replace(text=text, secrets=secrets)


def filled(text: str, pen: random.Random) -> tuple[str, tuple[str, ...]]:
    """`text` with values for its marks, and these; what stands in `{b64:…}` is one, encoded."""
    secrets: list[str] = []

    def value(mark: re.Match[str]) -> str:
        secrets.append(_value(mark[1], mark[2] or "", pen))
        return secrets[-1]

    def coded(held: re.Match[str]) -> str:
        inner = _MARK.sub(lambda mark: _value(mark[1], mark[2] or "", pen), held[1])
        secrets.append(base64.b64encode(inner.encode()).decode())
        return secrets[-1]

    return _MARK.sub(value, _CODED.sub(coded, text)), tuple(secrets)


def _value(kind: str, size: str, pen: random.Random) -> str:
    match kind:
        case "word":
            one, two = pen.sample(_WORDS, 2)
            number = pen.randrange(10, 9999)
            written = (f"{one}-{two}-{number}", f"{one}{number}!", f"{one}{two}{number}")
            return pen.choice((*written, _of(pen, _ALNUM, 9) + "7x"))
        case "dollar":
            head, body = _of(pen, _ALNUM, 3), _of(pen, string.ascii_letters, 2)
            return f"{head}${body}{_of(pen, _ALNUM, 4)}$9{_of(pen, string.ascii_letters, 2)}"
        case "password":
            body = [*_of(pen, _ALNUM, 9), *_of(pen, _DIGITS, 2), *_of(pen, _SIGNS[size], 3)]
            pen.shuffle(body)
            return f"{_of(pen, string.ascii_letters, 1)}{''.join(body)}{_of(pen, _ALNUM, 1)}"
        case "django":
            signs = "!@#%^&*(-_=+)" + ("$" if size == "q1" else "")
            return _of(pen, _LOWER + _DIGITS + signs, 48) + _of(pen, _ALNUM, 2)
        case _:
            return _of(pen, _ALPHABETS[kind], int(size))


def _of(pen: random.Random, alphabet: str, size: int) -> str:
    return "".join(pen.choice(alphabet) for _ in range(size))
