"""Secrets are taken out of text before anything else sees it.

What a secret looks like is data (`rules/secrets.toml`): the token formats that issuers publish,
the places that hold nothing else, and values that a name says are secret. A secret becomes
`[redacted:<kind>]`; the number of lines stays as it was, and redacting twice changes nothing.
What is given beside a text (titles, references, properties) is redacted by a `Redactor`: a value in
a table may be secret because of its key alone, so it is read as `key = "value"` too.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.patterns import late
from quipu.read.named_secrets import named_secrets
from quipu.read.secret_rules import find_keywords, secret_rules
from quipu.read.secret_values import is_secret
from quipu.records.record import Properties, Value

__all__ = [
    "Redactor",
    "redact",
    "redacted_path",
    "secrets_in",
    "without_url_secrets",
]


_BREAK = late(r"^(?:---(?=\s|$)|```)|(?<!:\n)(?<!:\r\n)^(?=\{(?![{%#]))", re.MULTILINE)
"""What parts the documents of Kubernetes from each other, in YAML, Markdown and lines of JSON; a
template's `{{`, `{%` and `{#` part nothing."""
_KIND = late(r"""\bkind\\{0,3}["']?[ \t]{0,9}:\s{0,9}\\{0,3}["']?Secret(?:List)?\b(?![\w-])""")
_BLOCK = late(
    r"(?P<lead>[ \t]{0,60}(?:-[ \t]{1,9})?)[\"']?(?:data|stringData)[\"']?:[ \t]{0,9}(?:#.*)?\r?$"
)
_ENTRY = late(r"[ \t]{0,60}[\"']?[\w.-]{1,253}+[\"']?:[ \t]{0,9}+(?P<value>.*)")
_TEXT_HEAD = late(r"[|>][+-]?\d?[ \t]*(?:#.*)?|")
_OBJECT = late(
    r"""\\{0,3}["'](?:data|stringData)\\{0,3}["'][ \t]{0,9}:\s{0,9}\{(?P<held>[^{}]{0,20000})\}"""
)
_VALUE = late(
    r""":\s{0,9}(?P<quote>\\{0,3}["'])(?P<value>(?:(?!(?P=quote))[\s\S]){1,20000}?)(?P=quote)"""
)
_PLAIN = ("#", "[redacted:", "{{", "$")
_NO_ENTRY = ("#", "{{", "{%", "{#")
"""How lines begin that are no entry and end none: comments, and what a template says."""


def _manifest_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where in `text` the values of Secrets of Kubernetes stand: all that stands under `data` and
    `stringData` in a document that holds one."""
    if "Secret" not in text:
        return
    edges = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    for start, end in pairwise(edges):
        if not _KIND.search(text, start, end):
            continue
        yield from _entries(text, start, end)
        for held in _OBJECT.finditer(text, start, end):
            for value in _VALUE.finditer(text, held.start("held") - 1, held.end("held")):
                if not value["value"].startswith(_PLAIN):
                    yield value.span("value")


def _entries(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The values of YAML below such a key, without their quotation marks."""
    column = -1
    while start < end:
        line_end = text.find("\n", start, end)
        line = text[start : line_end if line_end >= 0 else end]
        body = line.rstrip()
        indent = len(line) - len(line.lstrip(" \t"))
        if block := _BLOCK.match(line):
            column = len(block["lead"])
        elif body and not body.lstrip().startswith(_NO_ENTRY):
            if indent <= column:
                column = -1
            elif column >= 0 and (span := _value_of(body)):
                yield start + span[0], start + span[1]
        start += len(line) + 1


def _value_of(line: str) -> tuple[int, int] | None:
    """The part of a line that is a value, without its quotation marks."""
    entry = _ENTRY.fullmatch(line)
    start = entry.start("value") if entry else len(line) - len(line.lstrip(" \t"))
    value = line[start:]
    quoted = value[:1] in {"'", '"'} and value.endswith(value[0]) and len(value) > 2
    is_plain = value[quoted:].startswith(_PLAIN) or (entry and _TEXT_HEAD.fullmatch(value))
    return None if is_plain else (start + quoted, len(line) - quoted)


_MARK = "[redacted:"
_ROUNDS = 8
_LOOKED_AT = 256
"""How much of a value is weighed: its beginning says whether it is random."""

_URL_SECRET = late(
    r"(?i)(?P<begin>[a-z][a-z0-9+.-]{0,30}://[^\s\"'<>]*?[?&;#])(?P<name>[\w.-]{0,40}?(?:token|secret|passw(?:or)?d"
    r"|passwd|pwd|(?:api|access|auth|private|signing|shared)[_-]?key|signature|sig|auth|credential"
    r"|session(?:[_-]?id)?|sid|jwt|otp))=(?!\[redacted:)(?P<secret>[^&;#\s\"'<>]+)"
)


class _Found(NamedTuple):
    """A secret at `start` up to `end`; a lower `order` names it where two rules meet."""

    start: int
    end: int
    order: int
    kind: str


def redact(text: str) -> tuple[str, dict[str, int]]:
    """`text` without secrets, and how many of each kind were taken out, by kind."""
    counts: Counter[str] = Counter()
    for _ in range(_ROUNDS):  # what goes may lay bare what its neighbour hid
        found = _joined(sorted(_secrets(text)))
        if not found:
            break
        pieces: list[str] = []
        done = 0
        for each in found:
            mark = f"{_MARK}{each.kind}]" + "\n" * text.count("\n", each.start, each.end)
            pieces += (text[done : each.start], mark)
            counts[each.kind] += 1
            done = each.end
        text = "".join((*pieces, text[done:]))
    return text, dict(sorted(counts.items()))


def secrets_in(text: str) -> dict[str, str]:
    """The secrets that stand in `text` as it is, and their kinds."""
    return {text[f.start : f.end]: f.kind for f in _joined(sorted(_secrets(text)))}


def _secrets(text: str) -> Iterator[_Found]:
    rules, keywords = secret_rules(), find_keywords(text)
    ends: dict[int, int] = {}
    for at, start in keywords.sites:
        if start < ends.get(at, 0):  # inside of what this rule found
            continue
        rule = rules[at]
        match = rule.pattern.match(text, start)
        if match is None:
            continue
        groups = match.groupdict()
        group = next(g for g, value in groups.items() if value and g.startswith("secret"))
        value = groups[group]
        if value.startswith(_MARK) or text.startswith(_MARK, match.start(group)):
            continue
        if is_secret(
            rule.check,
            value[:_LOOKED_AT],
            name=groups.get("name") or "",
        ):
            ends[at] = match.end(group)
            yield _Found(match.start(group), match.end(group), at, rule.kind)
    for start, end, kind in named_secrets(text, keywords.names):
        yield _Found(start, end, len(rules), kind)
    for start, end in _manifest_secrets(text):
        yield _Found(start, end, len(rules), "secret")


def _joined(found: list[_Found]) -> list[_Found]:
    """Secrets in order, of those that overlap one: all that they cover, under the first rule."""
    joined: list[_Found] = []
    for each in found:
        if joined and each.start < joined[-1].end:
            last = joined[-1]
            first = min(last, each, key=lambda f: f.order)
            joined[-1] = _Found(last.start, max(last.end, each.end), first.order, first.kind)
        else:
            joined.append(each)
    return joined


def without_url_secrets(text: str) -> str:
    """`text` with the values of such parameters taken out of the URLs in it."""
    if "://" not in text:
        return text
    while True:  # a match takes the whole URL before it, so there is one a URL at a time
        again = _URL_SECRET.sub(r"\g<begin>\g<name>=[redacted:url-secret]", text)
        if again == text:
            return text
        text = again


@lru_cache(maxsize=65536)
def redacted_path(path: str) -> str:
    """A path as a reference may hold it: a secret in its names is a mark, the rest as it was."""
    return redact(path)[0]


class Redactor:
    """Takes secrets out of what one source brings; `counts` says how many of each kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """`text` without its secrets."""
        clean, counts = redact(text)
        self.counts.update(counts)
        return clean

    def line(self, text: str) -> str:
        """`text` without its secrets, on as many lines as before or on one."""
        clean = self.text(text)
        return clean if "\n" in text else clean.replace("\n", "")

    def properties(self, properties: Properties) -> Properties:
        """Keys and values without their secrets, however deeply they lie; InvalidInput where that
        is deeper than can be followed."""
        try:
            return {self.line(key): self._value(key, value) for key, value in properties.items()}
        except RecursionError as error:
            raise InvalidInput("its values are nested too deeply: flatten them") from error

    def _value(self, key: str, value: Value) -> Value:
        match value:
            case str():
                return self._named(key, value)
            case list():
                return [self._value(key, each) for each in cast(list[Value], value)]
            case dict():
                return self.properties(cast(Properties, value))
            case _:
                return value

    def _named(self, key: str, value: str) -> str:
        clean = self.text(value)
        if clean != value:
            return clean
        _, counts = redact(f'{key} = "{value}"')
        if not counts:
            return value
        self.counts.update(counts)
        return "".join(f"[redacted:{kind}]" for kind in counts)
