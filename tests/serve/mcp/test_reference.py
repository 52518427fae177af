"""The reference of the tools is made from them."""

from pathlib import Path

from tools.mcp_reference import reference

ROOT = Path(__file__).parents[3]


def test_the_page_is_what_the_tools_say() -> None:
    page = ROOT / "docs" / "reference" / "mcp.md"
    assert page.read_text("utf-8") == reference(), (
        "run: python -m tools.mcp_reference > docs/reference/mcp.md"
    )
