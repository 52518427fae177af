"""A question about a time, through plan and retrieve."""

from collections.abc import Callable
from pathlib import Path

from quipu.memory import Memory
from quipu.records.passage import PassageInput


def written(memory: Memory, rows: dict[str, tuple[str, str]]) -> None:
    memory.add_documents(
        PassageInput(source_ref=ref, title=title, text=text) for ref, (title, text) in rows.items()
    )


HOUSE = {
    "house-1": ("Baker House", "Quiet years (1811 to 1827): George Peter, who owned the house."),
    "house-2": ("Baker House", "Loud years (1916 to 1920): Newton Baker, who owned the house."),
    "house-3": ("Baker House", "Other years: somebody, who owned the house, and it is old."),
}


def test_the_passage_of_the_asked_time_comes_first(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    with open_memory("memory:", tmp_path, embedder=None) as memory:
        written(memory, HOUSE)
        for question, first in (
            ("Who owned the Baker House from 1811 to 1827?", "house-1"),
            ("Who owned the Baker House in 1918?", "house-2"),
        ):
            hits = memory.search(question).hits
            assert hits[0].path == first
            assert hits[0].why_ranked.parts["time"] > hits[1].why_ranked.parts["time"]


def test_without_a_time_in_the_question_nothing_is_held_against_it(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    with open_memory("memory:", tmp_path, embedder=None) as memory:
        written(memory, HOUSE)
        for hit in memory.search("Who owned the Baker House?").hits:
            assert "time" not in hit.why_ranked.parts


def test_what_a_bridge_leads_to_is_free_of_the_time(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    rows = {
        "song": ("Long Night", "Long Night is a song by Mara Quill that came out in 1999."),
        "singer": ("Mara Quill", "Mara Quill is a singer whose records Tobias Renn produced."),
        "other": ("Short Day", "Short Day is a song that came out in 1987 and was forgotten."),
    }
    with open_memory("memory:", tmp_path, embedder=None) as memory:
        written(memory, rows)
        found = memory.search("Who produced the singer of Long Night, which came out in 1999?")
        assert {hit.path for hit in found.hits[:2]} == {"song", "singer"}
