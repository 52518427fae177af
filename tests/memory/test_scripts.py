"""Words are found in scripts that put no spaces between them, and whatever spells accents."""

import unicodedata
from collections.abc import Callable
from typing import Literal

import pytest

from quipu.memory import Memory
from quipu.ports import every
from quipu.records.batch import Batch, IndexedChunk
from quipu.records.record import Chunk

NOTES = {
    "zh.md": "# 海豚网关\n\n海豚网关由王芳维护。\n",
    "ja.md": "# 桜計画\n\n桜計画の担当は田中さんです。\n",
    "ko.md": "# 고래 서비스\n\n고래 서비스는 이서연이 맡습니다.\n",
    "th.md": "# ระบบปลาวาฬ\n\nระบบปลาวาฬดูแลโดยมานี\n",
    "hi.md": "# बिल सेवा\n\nबिल सेवाएं अनीता देखती हैं।\n",
    "ru.md": "# Счета\n\nСервисы счетов ведёт Анна.\n",
    "en.md": "# Billing\n\nThe billing service is kept by Ada Hale.\n",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("海豚", "zh.md"),
        ("田中", "ja.md"),
        ("서비스", "ko.md"),
        ("ปลาวาฬ", "th.md"),
        ("सेवा", "hi.md"),
        ("сервис", "ru.md"),
        ("billing", "en.md"),
    ],
)
def test_a_word_finds_the_note_that_holds_it(
    memory: Memory, tree: Callable[[dict[str, str]], None], query: str, path: str
) -> None:
    tree(NOTES)
    memory.index()
    first = memory.search(query).hits[0]
    assert first.path == path
    assert first.why_ranked.parts["lexical"] == 1.0


@pytest.mark.parametrize("spelled", ["NFC", "NFD"])
def test_accents_are_found_however_they_are_spelled(
    memory: Memory, tree: Callable[[dict[str, str]], None], spelled: Literal["NFC", "NFD"]
) -> None:
    name = unicodedata.normalize("NFD", "Café.md")
    text = unicodedata.normalize("NFD", "# Übergabe\n\nZoë führt die Göteborg-Liste.\n")
    tree({name: text, "plain.md": unicodedata.normalize("NFC", text).replace("Göteborg", "Malmö")})
    memory.index()

    def typed(word: str) -> str:
        return unicodedata.normalize(spelled, word)

    assert memory.search(typed("Göteborg")).hits[0].path == "Café.md"
    assert memory.get(typed("Café.md")) == memory.get("Café.md")
    scope = memory.within(paths=[typed("Café.md")])
    assert {hit.path for hit in memory.search(typed("Übergabe"), scope=scope).hits} == {"Café.md"}
    assert memory.index().unchanged == 2


def test_two_files_of_one_name_are_told(
    memory: Memory, tree: Callable[[dict[str, str]], None]
) -> None:
    tree({unicodedata.normalize(form, "é.md"): f"# {form}\n" for form in ("NFC", "NFD")})
    report = memory.index()
    assert len(report.added) == 1
    assert [row.error[:35] for row in report.warnings] == ["has a name that another file has to"]


def test_reindex_counts_the_words_anew_that_an_earlier_version_divided_otherwise(
    memory: Memory, tree: Callable[[dict[str, str]], None]
) -> None:
    tree({"ru.md": NOTES["ru.md"], "en.md": NOTES["en.md"]})
    memory.index()
    store = memory.handle.store
    older = [IndexedChunk(chunk, {"prose": {"сервисы": 1}}) for chunk in every(store, Chunk)]
    store.write(Batch(recorded_at=memory.handle.clock(), chunks=tuple(older)))
    assert [hit.path for hit in memory.search("сервис").hits] == []
    assert memory.reindex().recounted == 1
    assert memory.search("сервис").hits[0].path == "ru.md"
    assert memory.reindex().recounted == 0
