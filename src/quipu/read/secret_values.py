"""Whether a value that stands where a secret may stand is one, or a word that stands for one."""

import base64
import math
import re
import string
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Literal, TypeAlias
from urllib.parse import unquote

from quipu.patterns import late

__all__ = ["CHECKS", "Check", "Place", "is_named_secret", "is_secret"]

Check: TypeAlias = Literal[
    "any",
    "token",
    "random",
    "given",
    "query",
    "element",
    "header",
    "quoted",
]

Place: TypeAlias = Literal[
    "given", "quoted", "bare", "harsh", "field", "block", "cell", "told", "close", "near"
]
"""Where the value of a name stands: where nothing else does (`DB_PASSWORD=v`), in quotation marks,
bare, bare where code often stands (`x: T = v`), in a field beside, in a block below, in a cell of
a table, in a sentence, or anywhere `close` to the name of a password or `near` another one."""

_MARKED = late(
    r"(?i)0123456789abcdef|abcdefghijklm|example|change.?(?:me|it)|placeholder|your[_-]|insert|xxxx|\*\*\*|\.\.\.|…|redacted|"
    r"\bdummy|<[^<>]*>|^<|\$\{|\$\(|\{\{|%\(|%[sd]\b|todo|environ|process\.env|\benv\."
)
_STANDING_IN = late(
    r"(?i)passw(?:or)?ds?|passphrase|pass|pwd|pw|secrets?|tokens?|api|key|user(?:name)?|name|value"
    r"|hidden|none|null|nil|true|false|undefined|empty|default|string|str|text|test(?:ing)?|fake"
    r"|mock|stub|sample|dummy|foo|bar|baz|qux|foobar|hash|my|the|your|our|some|new|old|current|this"
    r"|confirm(?:ation)?|required|optional|bearer|basic|auth|access|client|db|database|admin|root"
    r"|here|goes|put|enter|env|var|not|set|invalid|wrong|valid|type|field|input|prompt|file|x+"
    r"|[^A-Za-z0-9]+"
)
_SIGNS_ONLY = late(r"\W+|[\d.:]+|[A-Z][A-Z_]*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_REFERENCE = late(
    r"(?:[A-Za-z_]\w*(?:\.|->|::))+[A-Za-z_]\w*|[$@%!&*][A-Za-z_][\w.:>\[\]'\"()-]*|[A-Za-z_]\w*\[.*\]"
    r"|[A-Za-z_][\w.]*\(.*\)|-+\w.*"
    r"|(?:arn|secret|vault|op|ref|ssm|file|env|awssm|gcpsm|sops):.*|!.*|ENC\[.*"
)
_WORDS = late(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)*\.?|[\d.:]+|\W+")
_KEY_LIKE = late(r"[A-Za-z0-9+/=_.~:-]+")
_FORMAT = late(r"%[sdr]|\\[ntrsdw]|\(\?|::|->|\+\+")
_COUNTED = late(
    r"(?i)(?:u?int|float|bool|str|string|bytes?|utf|ascii|base|sha|md|bcrypt|argon|scrypt|pbkdf|hex"
    r"|vec|arg|args|param|value|val|var|tmp|field|col|p|pw|pwd|pass|passwd|password|passphrase|token|"
    r"tok|secret|key|text|line|word|s|v|t|x|a|b|c|i|k|n|u|f|part|group|item|v?ersion|user|other|new"
    r"|old|test|len|max|min)s?_?\d{1,3}"
)
_NUMBERED = late(r"[A-Za-z]{0,7}\d+|[0-9a-f]+|.{0,3}")
_FEW_DIGITS, _MANY_DIGITS = 2, 4
"""Near a name: more digits than few make a password of a word, so many a token of a mixed one."""
_ALNUM = string.ascii_letters + string.digits
_LONGEST = 4000
"""A value with more characters than this is no password, token or key."""
_LAST_LATIN = "\u024f"
_NO_WORD = 24
"""No word has as many letters as this."""
_EXPRESSION = late(r"\\|\[[^\]]*\w-\w|\{\d|\(\?|\.[*+]|[A-Za-z_]{3,}\(")
_LONG_RUN = late(r"[A-Za-z0-9+]{20}")
_PATH = ("/", "*.", "./", "../", "~/", "http://", "https://", "[", "file:")


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
    if len(value) > _LONGEST or "[redacted:" in value:
        return False
    if " " in value:
        return strong and place in {"quoted", "field"} and _is_phrase(value)
    if place in {"close", "near"}:
        return _is_near(value, strong=place == "close")
    if strong:
        return _is_pin(value) if name.lower().endswith("pin") else _is_password_at(place, value)
    if place in {"bare", "harsh", "given", "told"}:
        bare = _is_told_secret(value) if place == "told" else _is_bare_secret(value)
        return bare or (place == "given" and _is_no_word(value))
    return _is_quoted_secret(value)


def _is_near(value: str, *, strong: bool) -> bool:
    """Whether what stands near a name is no word, no count of one and no number of a commit."""
    digits = sum(map(str.isdigit, value))
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    if not strong:
        odd = _is_jumbled(value) or digits >= _MANY_DIGITS
        return digits > 1 and odd and mixed and "." not in value and _is_told_secret(value)
    if "/" in value or value.isupper() or not value[0].isalpha() or _NUMBERED.fullmatch(value):
        return False
    odd = digits > _FEW_DIGITS or any(sign in value for sign in "!#$%&*+?^~@")
    return digits > 1 and (odd or _is_jumbled(value)) and _is_quoted_password(value)


def _is_pin(value: str) -> bool:
    return value.isdigit() and 4 <= len(value) <= 8


def _is_password_at(place: Place, value: str) -> bool:
    if place == "told":
        return _is_told(value)
    if place == "given":
        return len(value) > 2 and _is_password(value)
    if place in {"quoted", "field", "block"}:
        return _is_quoted_password(value)
    return _is_bare_password(value, harsh=place == "harsh")


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


def _is_told_secret(value: str) -> bool:
    return _is_bare_secret(value) and len(value) >= 16


def _is_token(value: str) -> bool:
    return len(set(value)) >= 6


def _is_password(value: str) -> bool:
    """A password given where nothing else stands: neither a reference nor a word for one."""
    if _MARKED.search(value) or _SIGNS_ONLY.fullmatch(value) or _REFERENCE.fullmatch(value):
        return False
    return bool(_STANDING_IN.sub("", value))


def _is_mixed(value: str) -> bool:
    """Whether a value is no word: digits or signs beside letters, or capitals inside."""
    letters = sum(c.isalpha() for c in value)
    odd = sum(not c.isalpha() and c not in "-_./:,'" for c in value)
    return bool(letters and odd) or odd >= 6 or bool(re.search(r"[a-z][A-Z]", value))


def _is_quoted_password(value: str) -> bool:
    if value.startswith(_PATH) or _FORMAT.search(value) or not _is_password(value):
        return False
    if _COUNTED.fullmatch(value) or _WORDS.fullmatch(value):
        return False
    digits = sum(c.isdigit() for c in value)
    signs = sum(not c.isalnum() and c not in "._-" for c in value)
    return digits + signs > 0 and len(value) >= 4 and _entropy(value) >= 1.5


def _is_bare_password(value: str, *, harsh: bool) -> bool:
    if value.startswith(_PATH) or _FORMAT.search(value) or _COUNTED.fullmatch(value):
        return False
    if max(value) > _LAST_LATIN or not _is_password(value) or _WORDS.fullmatch(value):
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if harsh:
        return digits >= 2 and _entropy(value) >= 3.0
    return digits >= 1 and letters >= 1 and len(value) >= 5 and _entropy(value) >= 1.9


def _is_random(value: str, *, at_least: int = 12) -> bool:
    """Letters and digits without a pattern that a person reads."""
    if len(value) < at_least or not value.isascii() or _MARKED.search(value):
        return False
    if value.startswith(_PATH) and not _LONG_RUN.search(value):
        return False
    if _is_jumbled(value):
        return True
    digits = sum(c.isdigit() for c in value)
    return digits >= 2 and not _WORDS.fullmatch(value) and _entropy(value) >= 2.8


def _is_jumbled(value: str) -> bool:
    """Whether capitals and small letters take turns as they do by chance (every second time) and
    not as in `camelCase`."""
    longest = max(re.split(r"[^A-Za-z0-9+/]+", value), key=len)
    letters = [c for c in longest if c.isalpha()]
    changes = sum(a.islower() != b.islower() for a, b in pairwise(letters))
    return len(letters) >= 10 and changes * 3 >= len(letters)


def _is_quoted_secret(value: str) -> bool:
    if len(value) >= 24 and value.isascii() and sum(map(str.isdigit, value)) >= 2:
        signed = len({*value} - {*_ALNUM, *"/.:_-+=%&?,"}) >= 3  # as Django makes its keys
        if signed and _is_password(value) and not _EXPRESSION.search(value):
            return _entropy(value) >= 4
    if not _KEY_LIKE.fullmatch(value) or "::" in value or _COUNTED.fullmatch(value):
        return False
    return _is_random(value, at_least=8) and _is_password(value)


def _is_bare_secret(value: str) -> bool:
    """As a quoted one, and no code: a bare value could be a name."""
    if not _is_quoted_secret(value) or len(value) < 10:
        return False
    digits = sum(c.isdigit() for c in value)
    if (
        value.isidentifier()
        and digits < 3
        and not (digits and _is_jumbled(value) and len(value) >= 20)
    ):
        return False
    return "." not in value or len(value) >= 20


def _in_query(name: str, value: str) -> bool:
    lowered = name.lower()
    if lowered.endswith(("password", "passwd", "pwd")):
        return _is_password(value) and (len(value) >= 8 or _is_mixed(value))
    if lowered.endswith(("code", "key", "auth")) and len(value) < 16:
        return False
    return len(value) >= 8 and _is_random(value.lstrip("/"), at_least=8)


def _is_header(value: str) -> bool:
    """Whether what stands in a header holds a run that looks random."""
    if _MARKED.match(value) or value.lstrip().startswith(("$", "{", "<", "%")):
        return False
    runs = re.findall(r"[\w+/.~=%-]{6,}", value)
    return any(_is_random(run, at_least=6) or _is_user_and_password(run) for run in runs)


def _is_user_and_password(value: str) -> bool:
    """Whether a value is `user:password` in base64."""
    try:
        plain = base64.b64decode(value, validate=True).decode("ascii")
    except ValueError:
        return False
    return ":" in plain and plain.isprintable()


def _is_told(value: str) -> bool:
    bare = value.rstrip(".,;:!?)")
    if "://" in bare or bare.startswith(_PATH):
        return False
    if bare[:1].isdigit() and not (bare.isalnum() and _is_random(bare)):
        return False
    return _is_password(bare) and len(bare) >= 5 and _is_mixed(bare)


def _entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


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
