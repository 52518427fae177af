"""The page of settings is what the settings say."""

from pathlib import Path

from tools.settings_reference import reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "configuration.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference()
