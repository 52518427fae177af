"""robots.txt as RFC 9309 has it: groups by product token, `*` and `$`, the longest rule wins."""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

__all__ = ["ALLOW_ALL", "LARGEST", "Robots", "parse_robots", "product_token"]

LARGEST = 512_000
"""The bytes of a robots.txt that are read; the RFC asks for 500 KiB at least."""

_TOKEN = re.compile(r"[A-Za-z_-]+")
_LINE = re.compile(r"^\s*(user-agent|allow|disallow)\s*:\s*(.*?)\s*$", re.IGNORECASE)
_RESERVED = "/:?#[]@!$&'()*+,;="


class _Rule(NamedTuple):
    allows: bool
    pattern: str


class Robots(NamedTuple):
    """The rules that hold for one product token."""

    rules: tuple[_Rule, ...]

    def allows(self, target: str) -> bool:
        """Whether the path and query `target` may be fetched: by the rule whose pattern is
        longest, of two such by the one that allows; without any rule it may."""
        path = _normal(target)
        if path == "/robots.txt":
            return True
        found = [
            (len(rule.pattern.encode()), rule.allows)
            for rule in self.rules
            if _matches(rule.pattern, path)
        ]
        return max(found)[1] if found else True


ALLOW_ALL = Robots(())


def parse_robots(text: str, product: str) -> Robots:
    """The rules for the product token `product` in a robots.txt: those of all groups that name
    it, else those of all groups for `*`. What is no rule is passed over."""
    wanted = product_token(product)
    found: dict[str, list[_Rule]] = {}
    agents: list[str] = []
    in_rules = False
    for line in re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")):
        match = _LINE.match(line.partition("#")[0])
        if match is None:
            continue
        key, value = match[1].lower(), match[2]
        if key == "user-agent":
            agents = [] if in_rules else agents
            in_rules = False
            agents.append(_agent(value))
            found.setdefault(agents[-1], [])
            continue
        in_rules = True
        if value:
            for agent in dict.fromkeys(agents):
                found[agent].append(_Rule(key == "allow", _normal(value)))
    return Robots(tuple(found.get(wanted, found.get("*", ()))))


def product_token(name: str) -> str:
    """What robots.txt knows a product by: the letters, `-` and `_` that its name begins with, in
    lower case; may be empty."""
    token = _TOKEN.match(name)
    return token[0].lower() if token else ""


def _agent(value: str) -> str:
    return "*" if value.startswith("*") else product_token(value)


def _normal(path: str) -> str:
    """A path in which one octet is written in one way: unreserved ones plainly, others as %XX."""
    pieces: list[str] = []
    for piece in re.split(r"((?:%[0-9A-Fa-f]{2})+)", path):
        if piece.startswith("%") and len(piece) >= 3:
            pieces.append(
                "".join(
                    chr(octet) if (chr(octet).isalnum() and octet < 128) or chr(octet) in "-._~"
                    else f"%{octet:02X}"
                    for octet in unquote_to_bytes(piece)
                )
            )  # fmt: skip
        else:
            pieces.append(quote(piece, safe=_RESERVED + "%-._~"))
    return "".join(pieces)


def _matches(pattern: str, path: str) -> bool:
    """Whether a path begins with what `pattern` says; the leftmost fit of each part is enough, so
    this is linear in the parts."""
    ends = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not parts:
        return not ends or path == first
    at = len(first)
    *middle, last = parts
    for part in middle:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if ends:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0
