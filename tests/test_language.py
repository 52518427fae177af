"""The language of a text, and the stems that its words are compared by in it."""

import pytest
from tests.rows import rows

from quipu.language import language_of
from quipu.question import read_question
from quipu.text import own_stems, stems, tokens


@pytest.mark.parametrize(
    ("text", "code"),
    rows(__file__, "a_language_is_told_by_script_letters_and_function_words"),
)
def test_a_language_is_told_by_script_letters_and_function_words(
    text: str, code: str | None
) -> None:
    language = language_of(text)
    assert (language.code if language else None) == code


@pytest.mark.parametrize(
    ("passage", "question"),
    [
        ("Sunucuların bağlantı noktası 7431.", "Sunucu hangi bağlantıda çalışıyor?"),
        ("Die Rechnungen schickt die Buchhaltung täglich.", "Wer erhält die Rechnung täglich?"),
        ("Plățile sunt ținute de Ana.", "Cine ține plata și când?"),
        ("Má ở chợ Hà Nội.", "Ai gặp má ở đâu?"),
    ],
)
def test_a_question_meets_a_passage_in_its_language(passage: str, question: str) -> None:
    assert set(read_question(question).stems) & set(own_stems(passage, tokens(passage)))


def test_words_are_found_as_before_where_nothing_tells_the_language() -> None:
    assert {"rechnungen", "rechnung"} <= set(stems("Die Rechnungen für März"))
    assert read_question("Rechnungen").stems == ("rechnungen",)
    assert stems("The ledgers were kept") == ["ledger", "kept"]


def test_function_words_of_a_question_are_not_looked_for() -> None:
    assert read_question("海豚网关由谁维护？").stems == ("海豚", "豚网", "网关", "维护")
    assert "wer" not in read_question("Wer erhält die Rechnung täglich?").content


def test_a_german_noun_is_no_name() -> None:
    question = read_question("Wer hat die Klage gegen Virgin Media vor dem Gericht eingestellt?")
    assert question.names == ("Virgin Media",)
    assert not question.capitals_tell
