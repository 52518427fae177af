"""robots.txt, by the examples of RFC 9309 and by what it says of odd files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.pages.crawl.fetch import parse_robots

RFC = """User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("product", "target", "allowed"),
    [
        ("otherbot", "/a.gif", False),
        ("otherbot", "/a.gif?x", True),
        ("otherbot", "/example/page.html", False),
        ("otherbot", "/publications/", True),
        ("otherbot", "/publications/a.gif", True),
        ("foobot", "/example/page.html", True),
        ("FooBot", "/example/allowed.gif", True),
        ("foobot", "/other", False),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/other.gif", True),
        ("quxbot", "/example/", True),
        ("otherbot", "/robots.txt", True),
    ],
)
def test_the_examples_of_the_rfc(product: str, target: str, allowed: bool) -> None:
    assert parse_robots(RFC, product).allows(target) is allowed


@pytest.mark.parametrize(
    ("rules", "target", "allowed"),
    [
        ("", "/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /", "/a", False),
        ("Allow: /a\nDisallow: /a", "/a", True),
        ("Allow: /a\nDisallow: /ab", "/abc", False),
        ("Disallow: /a*b*c$", "/aXbYc", False),
        ("Disallow: /a*b*c$", "/aXbYcZ", True),
        ("Disallow: /a*aa$", "/aaa", False),
        ("Disallow: /a*aa$", "/aa", True),
        ("Disallow: /a$", "/ab", True),
        ("Disallow: /a%2Fb", "/a%2fb", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Disallow: /%61", "/a", False),
        ("Disallow: /ツ", "/%E3%83%84", False),
        ("Disallow: /a # a remark", "/a", False),
        ("disallow : /a", "/a", False),
        ("Crawl-delay: 5\nDisallow: /a", "/a", False),
    ],
)
def test_a_rule_matches(rules: str, target: str, allowed: bool) -> None:
    assert parse_robots(f"User-agent: *\n{rules}\n", "quipu").allows(target) is allowed


def test_groups_that_name_one_product_are_one() -> None:
    text = "User-agent: quipu\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\n"
    text += "User-agent: Quipu\nDisallow: /b"
    robots = parse_robots(text, "Quipu")
    assert [robots.allows(path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_a_longer_name_is_another_product() -> None:
    robots = parse_robots("User-agent: quipubot\nDisallow: /", "quipu")
    assert robots.allows("/a")


def test_a_product_is_known_by_its_letters() -> None:
    robots = parse_robots("User-agent: Quipu2\nDisallow: /\n\nUser-agent: *\nAllow: /", "Quipu2")
    assert not robots.allows("/a")


def test_rules_before_any_agent_belong_to_nobody() -> None:
    assert parse_robots("\ufeffDisallow: /\nUser-agent: *\nAllow: /", "quipu").allows("/a")


@given(st.text(alphabet="uUser-agent:*\n \rDislow/%$#2F", max_size=200), st.text(max_size=20))
def test_any_file_is_read(text: str, target: str) -> None:
    parse_robots(f"User-agent: *\n{text}", "quipu").allows(f"/{target}")


def test_a_hostile_pattern_costs_little() -> None:
    robots = parse_robots("User-agent: *\nDisallow: /" + "*a" * 5000 + "$", "quipu")
    assert robots.allows("/" + "a" * 4999 + "b")
