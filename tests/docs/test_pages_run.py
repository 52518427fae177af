"""The blocks of these pages run as they stand, in order, and print what stands below them."""

import re
import shutil
from pathlib import Path

import pytest
from tests.docs.blocks import DOCS, blocks, run

from quipu.kinds.incidents.policies import SHIPPED

_STEADY = (
    (re.compile(r"(known since|until) \d{4}-\d\d-\d\d"), r"\1 TODAY"),
    (re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z · .*$", re.MULTILINE), "STATUS"),
    (re.compile(r"(?<=confidence )\d+%"), "N%"),  # differs a little between processors
    (re.compile(r"(?<=recency )0\.\d\d"), "0.N"),
)


def _steady(text: str) -> str:
    """Without what differs from day to day and from machine to machine."""
    for pattern, put in _STEADY:
        text = pattern.sub(put, text)
    return text


@pytest.mark.parametrize(
    "name",
    [
        "explanation/audit",
        *(
            pytest.param(name, marks=[pytest.mark.slow, pytest.mark.model])
            for name in ("explanation/local", "how-to/incidents", "tutorial")
        ),
    ],
)
def test_every_block_runs_and_prints_what_the_page_shows(tmp_path: Path, name: str) -> None:
    given = blocks((DOCS / f"{name}.md").read_text("utf-8"))
    if name == "how-to/incidents":
        shutil.copytree(DOCS / "how-to" / "postmortems", tmp_path / "postmortems")
    # The precision is what most processors take by themselves, and all can.
    said = run(given, tmp_path, COLUMNS="100", QUIPU_EMBED_PRECISION="int8")
    shown = [_steady(content).strip() for language, content in given if not language]
    assert len(shown) >= 2
    assert [content for content in shown if content not in _steady(said)] == [], said


def test_the_table_of_policies_is_that_of_the_code() -> None:
    page = (DOCS / "how-to" / "incidents.md").read_text("utf-8")
    for policy in SHIPPED:
        conditions = " and ".join(map(str, policy.conditions))
        actions = ", ".join(policy.actions)
        assert f"| {policy.name} | {conditions} | {actions} | {policy.priority} |" in page
