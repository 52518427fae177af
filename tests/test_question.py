"""What a question names: versions, and whether it is about what one of them brought."""

import pytest

from quipu.question import read_question, versions_in


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("What came in v5.0.1?", ("5.0.1",)),
        ("from 1.2 to 2.0.0-beta.1", ("1.2", "2.0.0-beta.1")),
        ("History › 5.0.1 / 2024-10-08", ("5.0.1",)),
        ("Version 3.1.0rc2.", ("3.1.0rc2",)),
        ("in version 5, at 10:30, file a1.2b and x.1.2", ()),
    ],
)
def test_versions_are_dotted_numbers(text: str, versions: tuple[str, ...]) -> None:
    assert versions_in(text) == versions


@pytest.mark.parametrize(
    "text",
    [
        "Which release introduced express.raw?",
        "when was before_request removed?",
        "Why was cookie bumped in 5.0.1?",
        "What changed after upgrading?",
        "what's new",
        "Are there breaking changes?",
        "Since when can images be sent?",
    ],
)
def test_what_a_release_brought_is_asked_for(text: str) -> None:
    assert read_question(text).of_releases


@pytest.mark.parametrize(
    "text",
    [
        "Which port does the server use?",
        "When does the backup run?",
        "Who changed the port?",
        "What is the default of the limit, 0.5 or 1.0?",
        "How do I add a user?",
    ],
)
def test_other_questions_are_of_no_release(text: str) -> None:
    assert not read_question(text).of_releases
