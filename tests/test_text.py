import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.text import (
    natural_key,
    sentences,
    split_identifier,
    stems,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The King's cats", ["the", "king", "cats"]),
        ("Émile Zola’s café", ["emile", "zola", "cafe"]),
        ("ain't", ["aint"]),
        ("rock-and-roll", ["rock", "and", "roll"]),
        ("Ørsted, Łódź", ["orsted", "lodz"]),
        ("翠鸟服务 v2", ["翠鸟", "鸟服", "服务", "v2"]),
        ("鈴木さん", ["鈴木", "木さ", "さん"]),
        ("ｶﾓﾒ = カモメ", ["カモ", "モメ", "カモ", "モメ"]),
        ("김민수가", ["김민", "민수", "수가"]),
        ("ที่ดิน", ["ที่ดิน"]),
        ("ภาษาไทย", ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("re\u0301sume\u0301", ["resume"]),
        ("שָׁלוֹם", ["שלום"]),
        ("a湖b", ["a", "湖", "b"]),
        ("", []),
    ],
)
def test_words_are_folded_and_without_possessives(text: str, words: list[str]) -> None:
    assert [token.word for token in tokens(text)] == words


@given(st.text())
def test_tokens_lie_in_order_inside_the_text(text: str) -> None:
    last, begun = 0, -1
    for token in tokens(text):
        overlaps = last > token.start > begun
        assert overlaps or last <= token.start
        assert begun < token.start < token.end <= len(text)
        last, begun = token.end, token.start


def test_identifiers_split_at_humps_and_digits() -> None:
    assert split_identifier("HTTPServer_v2") == ["http", "server", "v", "2"]


def test_numbers_sort_as_numbers() -> None:
    rows = ["a.jsonl:10", "a.jsonl:9", "a10.jsonl", "a9.jsonl:1", "b", f"c{'9' * 5000}"]
    assert sorted(rows, key=natural_key) == [
        "a9.jsonl:1",
        "a10.jsonl",
        "a.jsonl:9",
        "a.jsonl:10",
        "b",
        f"c{'9' * 5000}",
    ]


def test_sentences_end_where_other_scripts_end_them() -> None:
    text = "服务由陈伟负责。它每30.5秒重试！“是吗？”好 यह ठीक है। अच्छा"
    assert [text[a:b] for a, b in sentences(text)] == [
        "服务由陈伟负责。",
        "它每30.5秒重试！",
        "“是吗？",
        "好 यह ठीक है।",
        "अच्छा",
    ]


@pytest.mark.parametrize(
    "forms",
    ["сервис сервисы сервисов", "δρομος δρομοι", "الخدمة خدمة", "सेवा सेवाएं"],
)
def test_a_word_is_stemmed_by_its_script(forms: str) -> None:
    assert len(set(stems(forms))) == 1
