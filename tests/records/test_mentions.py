import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.records.mentions import (
    find_mentions,
    is_date,
    key_words,
    names_within,
    title_runs,
)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("He met Lothair II of Lotharingia there.", {"lothair ii of lotharingia"}),
        (
            "daughter of Adalbert of Tuscany and Bertha",
            {"adalbert of tuscany and bertha", "adalbert of tuscany", "bertha"},
        ),
        ("The Beatles and others", {"beatles"}),
        ("by J. R. R. Tolkien", {"j r r tolkien"}),
        ("Émile Zola’s book", {"emile zola"}),
        ("the 1984 Summer Olympics", {"1984 summer olympics", "1984"}),
        ("in 1905 it rained", {"1905"}),
        ('a song called "Hello Love" then', {"hello love"}),
        ("see `parse_url` and src/quipu/text.py", {"parse_url", "src/quipu/text.py", "parse url"}),
        ("MyClass.run_it() fails", {"myclass.run_it", "myclass"}),
        ("nothing here is a name", set[str]()),
        ("However, it is", set[str]()),
        ("", set[str]()),
    ],
)
def test_names_are_found_by_rule(text: str, keys: set[str]) -> None:
    assert {mention.key for mention in find_mentions(text)} >= keys
    if not keys:
        assert find_mentions(text) == []


def test_a_sentence_does_not_run_into_the_next() -> None:
    keys = {mention.key for mention in find_mentions("He saw Rome. Paris was next.")}
    assert keys == {"rome", "paris"}


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_mentions_lie_inside_any_text_in_order(text: str) -> None:
    found = find_mentions(text)
    assert found == sorted(found, key=lambda m: (m.start, m.end, m.key))
    assert all(0 <= m.start < m.end <= len(text) and m.key for m in found)


def test_title_runs_neither_begin_nor_end_with_a_stop_word() -> None:
    runs = set(title_runs(key_words("The Lord of the Rings")))
    assert runs == {("lord",), ("lord", "of", "the", "rings"), ("rings",)}


@pytest.mark.parametrize(
    ("key", "date"),
    rows(__file__, "a_date_is_told_from_a_name"),
)
def test_a_date_is_told_from_a_name(key: str, date: bool) -> None:
    assert is_date(key) is date


def test_names_within_a_name_have_two_words_and_no_stop_word_at_an_edge() -> None:
    found = names_within("governor of alabama robert bentley")
    assert set(found) == {
        "governor of alabama",
        "governor of alabama robert",
        "alabama robert",
        "alabama robert bentley",
        "robert bentley",
    }
    assert names_within("hank snow") == ()
