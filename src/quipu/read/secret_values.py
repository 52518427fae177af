"""Whether a value that stands where a secret may stand is one, or a word that stands for one."""

import math
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Literal, TypeAlias
from urllib.parse import unquote

import msgspec

from quipu.limits import LONGEST_VALUE
from quipu.patterns import late
from quipu.tables import read_table

__all__ = ["CHECKS", "Check", "Place", "is_named_secret", "is_secret", "no_secrets"]

Check: TypeAlias = Literal[
    "any", "token", "random", "given", "query", "element", "header", "quoted"
]

Place: TypeAlias = Literal["given", "quoted", "bare", "told", "close", "near"]
"""Where the value of a name stands: where nothing else does (`DB_PASSWORD=v`), in quotation marks
or a field of its own, bare, in a sentence, or anywhere `close` to the name of a password or `near`
another one."""


class _NoSecrets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file, which says what each key means."""

    suffixes: str
    beginnings: tuple[str, ...]
    placeholders: tuple[str, ...]
    stand_for_one: tuple[str, ...]
    code: tuple[str, ...]


@cache
def no_secrets() -> _NoSecrets:
    """What stands where a secret may stand and is none: `rules/no_secrets.toml`."""
    return msgspec.convert(read_table("quipu.read", "rules", "no_secrets.toml"), _NoSecrets)


@cache
def _any_of(kind: Literal["placeholders", "stand_for_one", "code"]) -> re.Pattern[str]:
    flags = re.NOFLAG if kind == "code" else re.IGNORECASE
    return re.compile("|".join(getattr(no_secrets(), kind)), flags)


_WORDS = late(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)*\.?")
_EXPRESSION = late(r"\[\w-\w|\{\d|\(\?|\.[*+]")
_KEY_LIKE = late(r"[A-Za-z0-9+/=_.~:-]+")
_NUMBERED = late(r"[A-Za-z]{0,7}\d+|[0-9a-f]+|.{0,3}")
_FEW_DIGITS, _MANY_DIGITS = 2, 4
"""Near a name: more digits than few make a password of a word, so many a token of a mixed one."""
_LAST_LATIN = "\u024f"
_NO_WORD = 24
"""No word has as many letters as this."""


def is_secret(check: Check, value: str, *, name: str) -> bool:
    """Whether `value` is a secret where a rule with this `check` found it.

    `name` is what it was given to.
    """
    if check == "query":
        return _in_query(name, unquote(value))
    if check == "element":
        password = name.lower().startswith(("passw", "passp", "pwd"))
        return _is_password(value) if password else _is_random(value, at_least=8)
    return _BY_CHECK[check](value)


def is_named_secret(value: str, place: Place, *, strong: bool, name: str) -> bool:
    """Whether `value` is a secret where it stands in this `place` of what is called `name`.

    A `strong` name is one of passwords, whose values may be words with a digit; the values of the
    others (tokens, keys) are random.
    """
    if len(value) > LONGEST_VALUE or "[redacted:" in value:
        return False
    if " " in value:
        return strong and place == "quoted" and _is_phrase(value)
    if place in {"close", "near"}:
        return _is_near(value, strong=place == "close")
    if strong:
        is_pin = name.lower().endswith("pin")
        return value.isdigit() and 4 <= len(value) <= 8 if is_pin else _PASSWORDS[place](value)
    if place == "quoted":
        return _is_quoted_secret(value)
    is_long = place != "told" or len(value) >= 16
    return (place == "given" and _is_no_word(value)) or (_is_bare_secret(value) and is_long)


def _is_near(value: str, *, strong: bool) -> bool:
    """Whether what stands near a name is no word, no count of one and no number of a commit."""
    digits = sum(map(str.isdigit, value))
    if not strong:
        mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
        odd = _is_jumbled(value) or digits >= _MANY_DIGITS
        is_long = len(value) >= 16 and "." not in value
        return digits > 1 and odd and mixed and is_long and _is_bare_secret(value)
    if "/" in value or value.isupper() or not value[0].isalpha() or _NUMBERED.fullmatch(value):
        return False
    odd = digits > _FEW_DIGITS or any(sign in value for sign in "!#$%&*+?^~@")
    return digits > 1 and (odd or _is_jumbled(value)) and _is_quoted_password(value)


def _is_phrase(value: str) -> bool:
    """Whether words in quotation marks are a pass phrase: few, one of them with a digit."""
    words = value.split()
    return len(words) <= 6 and any(
        w.isascii() and _is_told(w) and any(map(str.isdigit, w)) and w.isprintable() for w in words
    )


def _is_no_word(value: str) -> bool:
    """Whether letters and digits are too many for a word, or too mixed."""
    if not value.isalnum() or not _is_password(value):
        return False
    return len(value) >= _NO_WORD or (len(value) >= 10 and _is_jumbled(value))


def _is_token(value: str) -> bool:
    return len(set(value)) >= 6


def _is_password(value: str) -> bool:
    """A password given where nothing else stands: neither a reference nor a word for one."""
    if len(value) < 3 or _any_of("placeholders").search(value) or _any_of("code").fullmatch(value):
        return False
    return bool(_any_of("stand_for_one").sub("", value))


def _is_mixed(value: str) -> bool:
    """Whether a value is no word: digits or signs beside letters, or capitals inside."""
    letters = sum(c.isalpha() for c in value)
    odd = sum(not c.isalpha() and c not in "-_./:,'" for c in value)
    return bool(letters and odd) or odd >= 6 or bool(re.search(r"[a-z][A-Z]", value))


def _is_path(value: str) -> bool:
    return value.startswith(no_secrets().beginnings)


def _is_quoted_password(value: str) -> bool:
    if _is_path(value) or _WORDS.fullmatch(value) or not _is_password(value):
        return False
    signs = sum(not c.isalpha() and c not in "._-" for c in value)
    return signs > 0 and len(value) >= 4 and _entropy(value) >= 1.5


def _is_bare_password(value: str) -> bool:
    if _is_path(value) or max(value) > _LAST_LATIN or not _is_password(value):
        return False
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and len(value) >= 5 and _entropy(value) >= 1.9


def _is_random(value: str, *, at_least: int = 12) -> bool:
    """Letters and digits without a pattern that a person reads."""
    if len(value) < at_least or not value.isascii() or _any_of("placeholders").search(value):
        return False
    if _is_jumbled(value):
        return True
    digits = sum(c.isdigit() for c in value)
    return digits >= 2 and not _is_path(value) and _entropy(value) >= 2.8


def _is_jumbled(value: str) -> bool:
    """Whether capitals and small letters take turns as they do by chance (every second time) and
    not as in `camelCase`."""
    longest = max(re.split(r"[^A-Za-z0-9+/]+", value), key=len)
    letters = [c for c in longest if c.isalpha()]
    changes = sum(a.islower() != b.islower() for a, b in pairwise(letters))
    return len(letters) >= 10 and changes * 3 >= len(letters)


def _is_quoted_secret(value: str) -> bool:
    if len(value) >= _NO_WORD and value.isascii() and sum(map(str.isdigit, value)) >= 2:
        signs = {c for c in value if not c.isalnum()} - {*"/.:_-+=%&?,"}
        if len(signs) >= 3 and _is_password(value):  # as Django makes its keys
            return _entropy(value) >= 4 and not _EXPRESSION.search(value)
    is_key = _KEY_LIKE.fullmatch(value) is not None
    return is_key and _is_random(value, at_least=8) and _is_password(value)


def _is_bare_secret(value: str) -> bool:
    """As a quoted one, and no code: a bare value could be a name."""
    if len(value) < 10 or ("." in value and len(value) < 20) or not _is_quoted_secret(value):
        return False
    digits = sum(c.isdigit() for c in value)
    is_long = len(value) >= 20 and _is_jumbled(value)
    return not value.isidentifier() or digits >= 3 or (digits > 0 and is_long)


def _in_query(name: str, value: str) -> bool:
    lowered = name.lower()
    if lowered.endswith(("password", "passwd", "pwd")):
        return _is_password(value) and (len(value) >= 8 or _is_mixed(value))
    if lowered.endswith(("code", "key", "auth")) and len(value) < 16:
        return False
    return len(value) >= 8 and _is_random(value.lstrip("/"), at_least=8)


def _is_header(value: str) -> bool:
    """Whether what stands in a header holds a run that looks random."""
    if _any_of("placeholders").match(value) or value.lstrip().startswith(("$", "{", "<", "%")):
        return False
    runs = re.findall(r"[\w+/.~=%-]{6,}", value)
    return any(_is_random(run, at_least=6) for run in runs)


def _is_told(value: str) -> bool:
    bare = value.rstrip(".,;:!?)")
    if "://" in bare or _is_path(bare):
        return False
    if bare[:1].isdigit() and not (bare.isalnum() and _is_random(bare)):
        return False
    return _is_password(bare) and len(bare) >= 5 and _is_mixed(bare)


def _entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


_PASSWORDS: dict[Place, Callable[[str], bool]] = {
    "given": _is_password,
    "quoted": _is_quoted_password,
    "bare": _is_bare_password,
    "told": _is_told,
}
_BY_CHECK: dict[Check, Callable[[str], bool]] = {
    "any": bool,
    "token": _is_token,
    "random": _is_random,
    "given": _is_password,
    "header": _is_header,
    "quoted": _is_quoted_password,
}

CHECKS: dict[Check, str] = {
    "any": "nothing more: the pattern says it all",
    "token": "at least six different characters",
    "random": "letters and digits that no person reads as words, 12 or more",
    "given": "no reference (`$NAME`, `args.password`) and no word that stands for a secret",
    "query": "random; a password: as `given`",
    "element": "random; a password: as `given`",
    "header": "a run in it looks random",
    "quoted": "as `given`, with a digit or a sign in it",
}
