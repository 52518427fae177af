"""Everyday texts with a secret in them, and texts that only look so: `tests/read/secrets/*.txt`.

The texts were written from what the formats are, before the rules were read. A secret is a mark
such as `<<word>>`; its value is made of a seed when it is asked for, so that no scanner takes the
file for a leak. Every second row was not looked at while the rules were written (`half="kept"`).
"""

import base64
import json
import random
import re
import string
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["Half", "Row", "forms", "is_left", "lookalikes"]

Half = Literal["tuned", "kept"]
_FOLDER = Path(__file__).parent / "secrets"
_ROW = re.compile(r"(?m)^=== (?P<name>.+) \| (?P<path>\S+)\n")
_MARK = re.compile(r"<<([a-z0-9_]+)>>")
_LETTERS = string.ascii_letters
_ALNUM = _LETTERS + string.digits
_HEX = "0123456789abcdef"
_B64 = _ALNUM + "+/"
_WORDS = ("marlin", "Tofu", "winter", "plum", "Kestrel", "gravel", "Lantern", "otter", "Saffron")
_SIGNS = {  # what a password may hold where it stands bare, in "…" and in '…'
    "q": "!%&*+=?^~@/",
    "j": "!#%&*+=?^~@/()[]{},;:'|-",
    "q1": '!#%&*+=?^~@/()[]{},;:"$|-',
}
_PREFIXED = {
    "akia": ("AK" + "IA", string.ascii_uppercase + "234567", 16),
    "asia": ("AS" + "IA", string.ascii_uppercase + "234567", 16),
    "github": ("gh" + "p_", _ALNUM, 36),
    "gitlab": ("glp" + "at-", _ALNUM, 20),
    "npm": ("np" + "m_", _ALNUM, 36),
    "pypi": ("pyp" + "i-AgEIcHlwaS5vcmc", _ALNUM, 130),
    "stripe": ("sk_" + "live_", _ALNUM, 24),
    "google": ("AI" + "za", _ALNUM, 35),
    "openai": ("sk-" + "proj-", _ALNUM, 120),
    "anthropic": ("sk-" + "ant-api03-", _ALNUM, 95),
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
    pen = random.Random(f"{seed}/{row.name}")
    secrets: list[str] = []

    def value(mark: re.Match[str]) -> str:
        secrets.append(_value(mark[1], pen))
        return secrets[-1]

    return row._replace(text=_MARK.sub(value, row.text), secrets=tuple(secrets))


def _value(kind: str, pen: random.Random) -> str:
    if kind in _PREFIXED:
        prefix, alphabet, size = _PREFIXED[kind]
        return prefix + _of(pen, alphabet, size)
    name, _, rest = kind.partition("_")
    if name == "password":
        return _password(pen, _SIGNS[rest or "q"])
    if name == "django":
        signs = "!@#%^&*(-_=+)" + ("$" if rest == "q1" else "")
        return _of(pen, string.ascii_lowercase + string.digits + signs, 48) + _of(pen, _ALNUM, 2)
    if name == "b64" and rest.isdigit():
        return _of(pen, _B64, int(rest))
    if sized := re.fullmatch(r"(hex|alnum|digits)(\d+)", kind):
        alphabet = {"hex": _HEX, "alnum": _ALNUM, "digits": string.digits}[sized[1]]
        return _of(pen, alphabet, int(sized[2]))
    return _made(kind, pen)


def _made(kind: str, pen: random.Random) -> str:
    match kind:
        case "word":
            return _word(pen)
        case "dollar":
            head, body = _of(pen, _ALNUM, 3), _of(pen, _LETTERS, 2) + _of(pen, _ALNUM, 4)
            return f"{head}${body}$9{_of(pen, _LETTERS, 2)}"
        case "b64word":
            return _b64(_word(pen))
        case "b64userpass":
            return _b64(f"ana:{_word(pen)}")
        case "b64docker":
            return _b64(json.dumps({"auths": {"h.example.com": {"auth": _b64(_word(pen))}}}))
        case "letters":
            return _of(pen, string.ascii_lowercase, 30)
        case "b64_line":
            return _of(pen, _B64, 64)
        case "jwt":
            head, body = (
                _b64(json.dumps(part)).rstrip("=")
                for part in ({"alg": "HS256"}, {"sub": _of(pen, string.digits, 10)})
            )
            return f"{head}.{body}.{_of(pen, _ALNUM, 43)}"
        case "slack":
            numbers = "-".join(_of(pen, "123456789", 12) for _ in range(2))
            return "xo" + f"xb-{numbers}-{_of(pen, _ALNUM, 24)}"
        case "slackhook":
            return (
                f"T{_of(pen, _HEX.upper(), 8)}/B{_of(pen, _HEX.upper(), 8)}/{_of(pen, _ALNUM, 24)}"
            )
        case "sendgrid":
            return "S" + f"G.{_of(pen, _ALNUM, 22)}.{_of(pen, _ALNUM, 43)}"
        case _:
            raise AssertionError(kind)


def _word(pen: random.Random) -> str:
    one, two = pen.sample(_WORDS, 2)
    number = pen.randrange(10, 9999)
    return pen.choice(
        (
            f"{one}-{two}-{number}",
            f"{one}{number}!",
            f"{one}{two}{number}",
            _of(pen, _ALNUM, 9) + "7x",
        )
    )


def _password(pen: random.Random, signs: str) -> str:
    body = [*_of(pen, _ALNUM, 9), *_of(pen, string.digits, 2), *_of(pen, signs, 3)]
    pen.shuffle(body)
    return f"{_of(pen, _LETTERS, 1)}{''.join(body)}{_of(pen, _ALNUM, 1)}"


def _of(pen: random.Random, alphabet: str, size: int) -> str:
    return "".join(pen.choice(alphabet) for _ in range(size))


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
