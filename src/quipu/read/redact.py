"""Secrets are taken out of text before anything else sees it.

What a secret looks like is data (`rules/secrets.toml`): the token formats that issuers publish,
the places that hold nothing else, and values that a name says are secret. A secret becomes
`[redacted:<kind>]`; the number of lines stays as it was, and redacting twice changes nothing.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from quipu.read.secret_blocks import manifest_secrets
from quipu.read.secret_rules import secret_rules, sites
from quipu.read.secret_values import is_secret

_MARK = "[redacted:"
_ROUNDS = 8
_LOOKED_AT = 256
"""How much of a value is weighed: its beginning says whether it is random."""


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


def _secrets(text: str) -> Iterator[_Found]:
    rules = secret_rules()
    ends: dict[int, int] = {}
    for at, start in sites(text):
        if start < ends.get(at, 0):  # inside of what this rule found
            continue
        rule = rules[at]
        match = rule.pattern.match(text, start)
        if match is None:
            continue
        held = match.groupdict()
        group = next(g for g, value in held.items() if value and g.startswith("secret"))
        value = held[group]
        if value.startswith(_MARK) or text.startswith(_MARK, match.start(group)):
            continue
        if "public" in text[max(start - 12, 0) : start].lower() and rule.check.endswith("-secret"):
            continue
        if is_secret(
            rule.check,
            value[:_LOOKED_AT],
            suffix=held.get("suffix") or "",
            by=held.get("by") or "",
            name=held.get("name") or "",
        ):
            ends[at] = match.end(group)
            yield _Found(match.start(group), match.end(group), at, rule.kind)
    for start, end in manifest_secrets(text):
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
