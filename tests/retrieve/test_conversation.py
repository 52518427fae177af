"""A turn's own side: what is embedded of it, and what it keeps beside its words."""

from pathlib import Path

import pytest
from tests.rows import rows
from tests.talk import transcript

from quipu.config import Config
from quipu.kinds.conversations.model import Role
from quipu.kinds.conversations.profile import embedding_text_among
from quipu.memory import Memory
from quipu.profiles import profile
from quipu.records.record import Chunk
from quipu.testing.fakes import HashEmbedder


def turn(text: str, speaker: str = "Ann", position: int = 1, role: Role = "other") -> Chunk:
    return Chunk(
        chunk_id=f"ch_{position:024x}",
        episode_id="ep_1",
        document_id="en_1",
        profile="conversation",
        position=position,
        text=text,
        start_line=1,
        end_line=1,
        heading_path=(role, speaker, "2024-05-08T10:00:00.000Z"),
    )


def test_people_are_read_by_name_among_their_neighbours() -> None:
    text, spans = embedding_text_among(
        turn("I’m proud of my dog. You are kind.", "Ann", 2),
        [turn("I love your dog!", "Bo", 1)],
        [turn("Thanks", "Bo", 3)],
    )
    assert text == "Bo: Bo love Ann's dog!\nAnn: Ann is proud of Ann's dog. Bo is kind.\nBo: Thanks"
    assert [text[start:end] for start, end in spans] == [
        "Ann is proud of Ann's dog. Bo is kind.",
        "Ann is proud of Ann's dog.",
        "Bo is kind.",
    ]


def test_a_long_turn_leaves_no_room_and_a_long_neighbour_is_cut() -> None:
    long = "word " * 400
    text, _ = embedding_text_among(turn(long), [turn("before", "Bo")], [turn("after", "Bo")])
    assert text == f"Ann: {long}"
    text, spans = embedding_text_among(turn("short"), [turn(long, "Bo")], [])
    assert len(text) <= 1_001
    assert text[slice(*spans[0])] == "short"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open("memory:", home=tmp_path, config=Config(), embedder=HashEmbedder(512))
    said = (
        ("Ann", "I adopted a greyhound called Pepper last week."),
        ("Bo", "How lovely, congratulations!"),
        ("Bo", "I climbed the Eiger with my sister."),
        ("Ann", "That must have been hard."),
    )
    memory.ingest_sessions([transcript("s", said, role="other")])
    return memory


def test_what_nobody_said_is_unknown_and_what_two_said_is_surer(memory: Memory) -> None:
    never = memory.ask("Who repaired the lighthouse?")
    both = memory.ask("Did Ann and Bo climb the Eiger?")
    assert never.contract.answer == "unknown"
    assert both.confidence.value > 2 * never.confidence.value


def test_turns_are_tied_to_their_speakers(memory: Memory) -> None:
    (hit,) = memory.search("Who climbed the Eiger?", limit=1).hits
    assert hit.source_ref == "session:s#3"
    assert "name:bo" in hit.graph_ids


@pytest.mark.parametrize("before", ["f(x)=2*x+1; " * 100, "1 2 3 4 5 6 7 8 9 " * 80])
def test_what_stands_before_leaves_a_turn_within_what_is_read(before: str) -> None:
    made = profile("conversation").embedding_text_among
    assert made is not None
    text, spans = made(turn("That is what I meant.", position=2), [turn(before, "Bo")], [])
    start, end = spans[0]
    assert text[start:end] == "That is what Ann meant."
    assert sum(not character.isspace() for character in text[:start]) < 250


def chat(tmp_path: Path, *said: str) -> Memory:
    memory = Memory.open("memory:", home=tmp_path, config=Config(), embedder=HashEmbedder(512))
    time = "2026-01-{n:02}T10:00:00.000Z"
    memory.ingest_sessions([transcript("s", [("user", text) for text in said], time=time)])
    return memory


def test_a_standing_instruction_counts_unless_the_past_is_asked_for(tmp_path: Path) -> None:
    told = "Always name the version when I ask about a library."
    memory = chat(tmp_path, "I read a book on sailing.", told, "I swam in the lake today.")

    def part(question: str) -> float:
        hits = {hit.text: hit for hit in memory.search(question).hits}
        return hits[told].why_ranked.parts.get("standing", 0.0)

    assert part("Which library should I use?") == 1.0
    assert part("Which library did I use?") == 0.0


@pytest.mark.parametrize(
    ("said", "asked", "answer"),
    rows(__file__, "an_answer_states_what_holds_now"),
)
def test_an_answer_states_what_holds_now(
    tmp_path: Path, said: tuple[str, str], asked: str, answer: str
) -> None:
    memory = chat(tmp_path, *said, "I swam in the lake today.", "It was cold.")
    assert answer in memory.ask(asked, limit=3).contract.answer.partition(" [1]")[0]


def test_an_answer_quotes_what_was_said_rather_than_what_was_asked(tmp_path: Path) -> None:
    memory = chat(
        tmp_path,
        "Which book on knots do you like?",
        "I like the old book on knots by Ashley.",
        "It was cold.",
    )
    answer = memory.ask("Which book do I like?").contract.answer
    assert "like the old book on knots by Ashley" in answer.replace("likes", "like")
