"""The page on confidence is what the formulas say."""

from pathlib import Path

from tools.confidence_reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "confidence.md"


def test_the_page_is_what_the_formulas_say() -> None:
    assert PAGE.read_text("utf-8") == reference(), (
        "run: python -m tools.confidence_reference > docs/reference/confidence.md"
    )
