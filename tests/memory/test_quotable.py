"""Where the sentences stand that a report may quote."""

import pytest

from quipu.kinds.reports.lines import quotable
from quipu.records.record import Chunk

DOC = '''"""

Charges cards for orders
and keeps them.

More.
"""
'''


def passage(text: str, profile: str) -> Chunk:
    return Chunk(
        chunk_id="ch_1",
        episode_id="ep_1",
        document_id="en_1",
        profile=profile,
        position=0,
        text=text,
        start_line=11 if profile == "prose" else 1,
        end_line=99,
        title="t",
    )


@pytest.mark.parametrize(
    ("text", "profile", "lines"),
    [
        (
            "# Head\n\nThe service charges cards\nthrough the gate. Then it\nrests.\n",
            "prose",
            [(13, 14), (14, 15)],
        ),
        (
            "One [link](http://a.b/c) here\nand *more* words. Two is short.\n",
            "prose",
            [(11, 12), (12, 12)],
        ),
        ("- An item that\n  goes on here.\n- Another item.\n", "prose", [(11, 12), (13, 13)]),
        (DOC, "code", [(3, 6)]),
        ('"""Says it at once."""\n', "code", [(1, 1)]),
    ],
)
def test_a_sentence_is_cited_with_all_the_lines_it_takes(
    text: str, profile: str, lines: list[tuple[int, int]]
) -> None:
    assert [(x.start_line, x.end_line) for x in quotable(passage(text, profile))] == lines
