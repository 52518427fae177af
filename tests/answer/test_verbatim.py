"""Whatever is indexed, each line that an answer quotes stands in the lines that it cites."""

import re
from collections.abc import Callable

import pytest

from quipu.answer.contract import cited
from quipu.memory import Memory

FILES = {
    "web/log.js": (
        "// Log tells of an order.\n"
        "function logOrder(order) {\n"
        "\tconst note = `Got ${order.id}`;\n"
        "\tconsole.log(`Got ${order.id} … [1]`);\n"
        "}\n"
    ),
    "docs/logging.md": (
        "# Logging orders\n\nTo log an order, call:\n\n```js\nconsole.log(`Got ${order.id}`)\n```\n"
    ),
    "docs/colour.rst": (
        "Colour system\n=============\n\n"
        'The colour system is either ``"standard"``, ``"256"`` or ``"truecolor"``.\n\n'
        "The ports of the colour server are [80, 443], and it's the ` key that opens it.\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "stands"),
    [
        ("How do I log an order?", "console.log(`Got ${order.id}`)"),
        ("What is the colour system?", 'either ``"standard"``, ``"256"`` or ``"truecolor"``'),
        ("Which key opens the colour server?", "it's the ` key that opens it"),
        ("What are the ports of the colour server?", "[80, 443]"),
        ("What does logOrder do?", "function logOrder(order)"),
    ],
)
def test_what_is_quoted_stands_in_the_lines_that_are_cited(
    remember: Callable[..., Memory], question: str, stands: str
) -> None:
    memory = remember(FILES)
    reply = memory.ask(question)
    assert stands in reply.contract.answer
    assert set(cited(reply.contract.answer)) == {each.n for each in reply.citations}
    lines: list[str] = []
    for each in reply.citations:
        text = FILES[each.path].split("\n")
        lines += [line.rstrip() for line in text[each.start_line - 1 : each.end_line]]
    for block in re.findall(
        r"^(`{3,})\n(.*?)\n\1$", reply.contract.answer, re.DOTALL | re.MULTILINE
    ):
        for line in block[1].split("\n"):
            assert any(each.endswith(line) for each in lines), line
