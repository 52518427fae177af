"""The page on redaction is what the files of rules say."""

from pathlib import Path

from tools.redaction_reference import reference

from quipu.read import redact

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "redaction.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference()


def test_it_shows_no_secret() -> None:
    assert redact(reference())[1] == {}
