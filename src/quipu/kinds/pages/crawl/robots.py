"""robots.txt as RFC 9309 has it, read by protego: the longest rule wins."""

import re
from typing import NamedTuple

from protego import Protego

__all__ = ["ALLOW_ALL", "LARGEST", "Robots", "parse_robots", "product_token"]

LARGEST = 512_000
"""The bytes of a robots.txt that are read; the RFC asks for 500 KiB at least."""

_TOKEN = re.compile(r"[A-Za-z_-]+")


class Robots(NamedTuple):
    """The rules that hold for one product token."""

    rules: Protego
    product: str

    def allows(self, target: str) -> bool:
        """Whether the path and query `target` may be fetched: by the rule whose pattern is
        longest, of two such by the one that allows; without any rule it may."""
        return target == "/robots.txt" or self.rules.can_fetch(f"http://host{target}", self.product)


def parse_robots(text: str, product: str) -> Robots:
    """The rules for the product token `product` in a robots.txt: those of all groups that name
    it, else those of all groups for `*`. What is no rule is passed over."""
    return Robots(Protego.parse(text.removeprefix("\ufeff")), product)


def product_token(name: str) -> str:
    """What robots.txt knows a product by: the letters, `-` and `_` that its name begins with, in
    lower case; may be empty."""
    token = _TOKEN.match(name)
    return token[0].lower() if token else ""


ALLOW_ALL = parse_robots("", "")
