import pytest

from quipu.question import read_question


def test_words_stems_and_names_are_read_once() -> None:
    question = read_question("Who directed the films of Hank Snow?")
    assert question.stems == ("direct", "film", "hank", "snow")
    assert question.content == ("directed", "films", "hank", "snow")
    assert question.name_keys == ("hank snow",)
    assert read_question("Who directed the films of Hank Snow?") is question


def test_pieces_of_an_identifier_are_not_names() -> None:
    surfaces = read_question("where is read_file in src/app/io.py defined?").surfaces
    assert {"read_file", "src/app/io.py", "defined"} <= set(surfaces)
    assert not {"read", "file", "app", "io"} & set(surfaces)


@pytest.mark.parametrize(
    ("text", "tell"),
    [
        ("Who is the mother of Lothair II?", True),
        ("Alpha Gal and the Lone Star Tick", False),
        ("how to sort a list", False),
        ("", False),
    ],
)
def test_capitals_tell_names_only_where_few_words_have_one(text: str, tell: bool) -> None:
    assert read_question(text).capitals_tell is tell


def test_questions_about_code_are_split_and_lose_its_language() -> None:
    assert read_question("python parseUrl function").code_stems == ("pars", "url")
    assert read_question("python function").code_stems == ("python", "function")
