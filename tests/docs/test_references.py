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


def test_the_schema_of_what_is_printed_is_what_the_types_make() -> None:
    made = importlib.import_module("tools.json_reference").schema()
    assert made == (DOCS / "reference" / "json.schema.json").read_text(encoding="utf-8"), (
        "run: python -m tools.json_reference > docs/reference/json.md"
    )
