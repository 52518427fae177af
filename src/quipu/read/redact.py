"""Secrets are taken out of text before anything else sees it.

The rules follow the token formats that the issuers publish, and assignments of a value that
looks random to a name that says it is secret. A secret becomes `[redacted:<kind>]`; the number
of lines stays as it was, and redacting twice changes nothing.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote


class _Rule(NamedTuple):
    """`hints` are literal texts, one of which must stand in the text for `pattern` to match;
    looking for them first makes a clean file cheap. Group `secret` is what goes."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _rule(kind: str, hints: str, pattern: str) -> _Rule:
    return _Rule(kind, tuple(hints.split()), re.compile(pattern))


_RULES = (
    _rule(
        "private-key",
        "PRIVATE",
        r"(?P<secret>-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----BEGIN |\[redacted:private-key)[\s\S]){16,20000}?"
        r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"|-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\s+[A-Za-z0-9+/=]{16,})+)",
    ),
    _rule(
        "aws-key",
        "AKIA ASIA ABIA ACCA",
        r"(?<![A-Za-z0-9])(?P<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])",
    ),
    _rule("gcp-key", "AIza", r"(?<!\w)(?P<secret>AIza[\w-]{35})(?![\w-])"),
    _rule("gcp-token", "ya29.", r"(?<!\w)(?P<secret>ya29\.[\w-]{40,})"),
    _rule(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{60,255})(?!\w)",
    ),
    _rule("gitlab-token", "glpat- gldt- glrt-", r"(?<!\w)(?P<secret>gl(?:pat|dt|rt)-[\w-]{20,})"),
    _rule(
        "slack-token",
        "xoxb- xoxa- xoxp- xoxr- xoxs- xapp-",
        r"(?<!\w)(?P<secret>(?:xox[abprs]|xapp)-[A-Za-z0-9-]{20,})",
    ),
    _rule(
        "slack-webhook",
        "hooks.slack.com/services/",
        r"hooks\.slack\.com/services/(?P<secret>T\w+/B\w+/\w{16,})",
    ),
    _rule(
        "stripe-key",
        "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
        r"(?<!\w)(?P<secret>(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{20,})(?!\w)",
    ),
    _rule("anthropic-key", "sk-ant-", r"(?<!\w)(?P<secret>sk-ant-[\w-]{24,})"),
    _rule(
        "openai-key",
        "sk-",
        r"(?<![\w-])(?P<secret>sk-(?:proj-|svcacct-|admin-)[\w-]{24,}|sk-[A-Za-z0-9]{32,})(?![\w-])",
    ),
    _rule("npm-token", "npm_", r"(?<!\w)(?P<secret>npm_[A-Za-z0-9]{36})(?!\w)"),
    _rule("pypi-token", "pypi-AgE", r"(?<!\w)(?P<secret>pypi-AgE[\w-]{50,})"),
    _rule("hugging-face-token", "hf_", r"(?<!\w)(?P<secret>hf_[A-Za-z0-9]{34,})(?!\w)"),
    _rule("sendgrid-key", "SG.", r"(?<!\w)(?P<secret>SG\.[\w-]{22}\.[\w-]{43})(?![\w-])"),
    _rule(
        "jwt",
        "eyJ",
        r"(?<![\w-])(?P<secret>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})(?![\w-])",
    ),
    _rule(
        "password",
        "curl",
        r"\bcurl\b[^\n]{0,300}?[ \t](?:-[a-zA-Z]{0,8}u|--user)[ \t=]*[\"']?"
        r"[^\s:/@\"'<>{}$=-]{1,100}:(?P<secret>[^\s@\"'<>{}$\[]{3,200})(?![^\s\"'])",
    ),
    _rule(
        "url-password",
        "://",
        r"(?<=[A-Za-z0-9])://[^\s:/@\"'<>{}$]{0,100}:(?P<secret>[^\s/@\"'<>{}$\[]{3,200})@",
    ),
)
_NAMED = re.compile(
    r"(?P<name>passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key"
    r"|private[_-]?key|secret[_-]?key|credential)s?(?P<suffix>(?:[_-][A-Za-z0-9]{1,16}){0,3})"
    r"[\"']?\]?[ \t]*(?::[ \t]*\w{1,12}[ \t]*=|:=|=>|=|:)[ \t]*"
    r"(?:[bru]{0,2}(?P<quote>[\"'`])(?P<quoted>[^\"'`\s]{8,200})(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;(){}\[\]<>$]{12,200})(?=[ \t]*(?:[,;#\n]|$)))",
    re.IGNORECASE,
)
_NO_SECRET_SUFFIX = re.compile(
    r"(?i)[_-](?:type|url|uri|name|id|endpoint|end|start|length|len|count|path|file|prefix|suffix"
    r"|pattern|regex|re|hint|label|field|header|ttl|expir\w*|format|alg\w*|scope|policy)$"
)
_NAMES = ("passw", "passphrase", "secret", "token", "key", "credential")
_AUTHORIZATION = re.compile(r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic)\s+"
                            r"(?P<secret>[A-Za-z0-9+/._~=-]{16,})")  # fmt: skip
_QUERY_HINTS = ("token=", "secret=", "passw", "pwd=", "key=", "sig=", "signature=", "auth=")
_QUERY = re.compile(
    r"(?i)[?&;](?P<name>[\w.-]{0,40}?(?:token|secret|passw(?:or)?d|pwd|(?:api|access|auth|private)"
    r"[_-]?key|signature|sig|auth))=(?P<secret>[^&#\s\"'<>()\[\]{}|\\^`]{8,500})"
)
_PLACEHOLDER = re.compile(
    r"(?i)example|change.?me|placeholder|dummy|sample|your[_-]|xxxx|\.\.\.|<|>|\$\{|\{\{|%\(|"
    r"\benv\b|environ|redacted|password|secret|insert|todo|fake|foobar|test"
)
_URL_PLACEHOLDER = re.compile(
    r"(?i:^(?:pass(?:word|wd)?|pwd|pw|secret|token|\*+|x+|\.+|your.*|<.*|%s)$)|^[A-Z_]+$"
)
_WORDS = re.compile(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)*\.?|[\d.:]+|\W+")
_KEY_LIKE = re.compile(r"[A-Za-z0-9+/=_.~:-]+")
_FORMAT = re.compile(r"%[sdr]|\\[ntrsdw]|\(\?|::|->|\+\+")


def redact(text: str) -> tuple[str, dict[str, int]]:
    """`text` without secrets, and how many of each kind were taken out, by kind."""
    counts: Counter[str] = Counter()
    for rule in _RULES:
        for hint in rule.hints:  # any() over a generator takes twice the time
            if hint in text:
                text = rule.pattern.sub(_replacer(rule.kind, counts), text)
                break
    text = _redact_named(text, counts)
    return text, dict(sorted(counts.items()))


def _replacer(kind: str, counts: Counter[str]) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        secret = match["secret"]
        if kind in {"password", "url-password"} and _URL_PLACEHOLDER.search(secret):
            return match[0]
        counts[kind] += 1
        start = match.start("secret") - match.start()
        mark = f"[redacted:{kind}]" + "\n" * secret.count("\n")
        return match[0][:start] + mark + match[0][start + len(secret) :]

    return replace


def _redact_named(text: str, counts: Counter[str]) -> str:
    lowered = text.lower() if text.isascii() else text.casefold()
    if len(lowered) != len(text):
        lowered = text
    pieces: list[str] = []
    done = 0
    for start, end, kind in _named_secrets(text, lowered):
        if start >= done:
            pieces += (text[done:start], f"[redacted:{kind}]")
            counts[kind] += 1
            done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _named_secrets(text: str, lowered: str) -> list[tuple[int, int, str]]:
    found: set[tuple[int, int, str]] = set()
    for occurrence in _occurrences(lowered, _NAMES):
        start = _word_start(lowered, occurrence)
        match = _NAMED.match(text, start)
        if match is None or _NO_SECRET_SUFFIX.search(match["suffix"]):
            continue
        if "public" in lowered[max(start - 12, 0) : start]:
            continue
        group = "quoted" if match["quoted"] is not None else "bare"
        password = match["name"].lower().startswith("pass")
        if _is_secret(match[group], quoted=group == "quoted", password=password):
            kind = "password" if password else "secret"
            found.add((match.start(group), match.end(group), kind))
    if "authorization" in lowered:
        for match in _AUTHORIZATION.finditer(text):
            if _is_secret(match["secret"], quoted=True, password=False):
                found.add((match.start("secret"), match.end("secret"), "authorization"))
    if any(hint in lowered for hint in _QUERY_HINTS):
        for match in _QUERY.finditer(text):
            password = match["name"].lower().endswith(("password", "passwd", "pwd"))
            if _is_secret(unquote(match["secret"]), quoted=True, password=password):
                found.add((match.start("secret"), match.end("secret"), "url-secret"))
    return sorted(found)


def _occurrences(lowered: str, names: tuple[str, ...]) -> Iterator[int]:
    for name in names:
        position = lowered.find(name)
        while position >= 0:
            yield position
            position = lowered.find(name, position + len(name))


def _word_start(lowered: str, position: int) -> int:
    """Where `api_key` begins, given where its `key` stands."""
    if lowered.startswith("key", position):
        for prefix in ("api", "access", "auth", "private"):
            for gap in (1, 0):
                start = position - len(prefix) - gap
                if start >= 0 and lowered.startswith(prefix, start):
                    return start
    return position


def _is_secret(value: str, *, quoted: bool, password: bool) -> bool:
    """Whether a value looks random: mixed, and no placeholder, path, call, name or words.

    A password may hold any sign; another secret is letters, digits and the signs of base64.
    Without quotation marks it must also not look like code.
    """
    if not value.isascii() or _PLACEHOLDER.search(value) or _WORDS.fullmatch(value):
        return False
    if value.startswith(("/", "./", "~", "http://", "https://", "[")) or _FORMAT.search(value):
        return False
    digits = sum(c.isdigit() for c in value)
    signs = sum(not c.isalnum() and c not in "._-" for c in value)
    if password and quoted:
        return digits + signs > 0 and _entropy(value) >= 2.5
    if not _KEY_LIKE.fullmatch(value) and not password:
        return False
    if not quoted and ("." in value or (value.isidentifier() and digits < 3)):
        return False
    return digits >= 2 and _entropy(value) >= 3.0


def _entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())
