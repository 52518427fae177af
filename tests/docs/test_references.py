"""The pages that are made from the code are what the code says."""

import importlib

import pytest
from tests.docs.blocks import DOCS

PAGES = {
    "cli": "cli",
    "confidence": "confidence",
    "json": "json",
    "mcp": "mcp",
    "python": "python",
    "redaction": "redaction",
    "settings": "configuration",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_its_tool_prints(name: str) -> None:
    page = f"reference/{PAGES[name]}.md"
    made = importlib.import_module(f"tools.{name}_reference").reference()
    assert (DOCS / page).read_text("utf-8") == made, (
        f"run: python -m tools.{name}_reference > docs/{page}"
    )
