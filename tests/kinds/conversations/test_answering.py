"""Which turn answers: the head that says how likely each does, and what an answer makes of it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.config import AnswerConfig, Config
from quipu.embed import MiniLM
from quipu.kinds.conversations.answering.inputs import (
    ASKED,
    BEFORE,
    OWN,
    TURNS,
    Question,
    Said,
    Words,
    inputs_of,
    is_said_after,
)
from quipu.kinds.conversations.answering.words import SentenceWords
from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory
from quipu.records.reply import Reply

NOW = "2026-07-01T12:00:00.000Z"
model = pytest.mark.model


@pytest.fixture(scope="module")
def encoder() -> MiniLM:
    """One thread gives the same bytes as many, and costs less on short texts."""
    return MiniLM(threads=1)


@pytest.fixture
def memory(tmp_path: Path, encoder: MiniLM) -> Iterator[Memory]:
    config = Config(answer=AnswerConfig(floor=0.0))
    with Memory.open(
        "memory:", home=tmp_path, config=config, embedder=encoder, clock=lambda: NOW
    ) as opened:
        yield opened


def _say(memory: Memory, day: str, said: Sequence[tuple[str, str]]) -> None:
    turns = tuple(
        Turn(
            session_id=day,
            offset=n,
            speaker=who,
            role="assistant" if who == "assistant" else "user",
            text=text,
            time=f"{day}T10:{n:02}:00.000Z",
        )
        for n, (who, text) in enumerate(said, 1)
    )
    memory.add_sessions([Transcript(session_id=day, group="team", turns=turns)])


def _likely(reply: Reply) -> float:
    found = reply.confidence.inputs["likely"]
    assert found is not None
    return found


FILLER = ("Ines", "lunch at Da Enzo today?")


@model
def test_the_turn_that_tells_it_comes_before_those_that_only_speak_of_it(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "The dentist again. I hate that waiting room.")])
    _say(memory, "2026-02-03", [("Ann", "Dr Okoro looks after my teeth, she is brilliant.")])
    _say(memory, "2026-03-01", [("Bo", "My dentist retired, so I have none at all.")])
    assert memory.ask("Who is Ann's dentist?").contract.answer.startswith("Ann, 2026-02-03")


@model
@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [
        (
            "Thank you, that was quick! The spare key hangs behind the blue door.",
            "Where is the spare key?",
            "The spare key hangs behind the blue door",
        ),
        (
            "Sorry for the silence. What a month! The dentist is Dr Okoro. She wants 80 euros.",
            "How much does the dentist want?",
            "The dentist is Dr Okoro. She wants 80 euros",
        ),
    ],
)
def test_a_turn_is_quoted_from_the_sentence_that_tells_it(
    memory: Memory, said: str, asked: str, told: str
) -> None:
    _say(memory, "2026-01-05", [FILLER, ("Bo", said)])
    assert memory.ask(asked).contract.answer.startswith(f"Bo, 2026-01-05: {told} [1].")


@model
@pytest.mark.parametrize(
    ("before", "after", "asked", "told"),
    [
        (
            "Also remind me: Sanne is allergic to hazelnuts, so no recipes with those ever",
            "They tested Sanne again at Musgrove, it's not hazelnuts at all, it's cashews",
            "What is Sanne allergic to?",
            "cashews",
        ),
        (
            "I've started cello lessons too, with a Mrs Pennock, on Wednesdays at half five",
            "Mrs Pennock moved my lesson, it's Fridays at 4 now",
            "When are my cello lessons?",
            "Fridays at 4",
        ),
        (
            "I live in Braga.",
            "I've moved in with Leonor! we're in Porto now, tiny flat, loud neighbours",
            "Where do I live?",
            "Porto",
        ),
    ],
)
def test_what_changes_what_answers_is_told_before_it(
    memory: Memory, before: str, after: str, asked: str, told: str
) -> None:
    _say(memory, "2025-02-09", [("user", before), FILLER])
    _say(memory, "2025-10-12", [("user", after), FILLER])
    assert told in memory.ask(asked).contract.answer.split(" [1]")[0]


@model
def test_beside_what_turns_state_a_document_is_read_too(memory: Memory, tmp_path: Path) -> None:
    people = "The manager is Bettina Kraal. Kofi Mensah is the head lifeguard."
    _index(memory, tmp_path, "handbook.md", f"# Handbook\n\n## People\n\n{people}\n")
    said = "thanks all. terrified. Abena is taking over my job as head lifeguard"
    _say(memory, "2025-12-09", [("Kofi", said), FILLER])
    answer = memory.ask("Who is the head lifeguard now?").contract.answer
    assert "Abena" in answer.split(" [1]")[0]


@model
def test_yes_or_no_is_told_with_all_that_is_said(memory: Memory) -> None:
    said = "We got a new van. No more rust! The old one was sold to Hal, the pink one."
    _say(memory, "2026-01-05", [FILLER, ("Bo", said)])
    assert said.rstrip(".") in memory.ask("Was the pink van sold?").contract.answer


@model
def test_what_nobody_said_is_less_likely_than_what_somebody_did(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "Our boiler is a Vaillant, it was put in by Hogan's.")])
    _say(memory, "2026-01-09", [("Bo", "The bikes go into the shed behind the house.")])
    said = memory.ask("Which make is our boiler?")
    unsaid = memory.ask("How many litres does our boiler hold?")
    assert _likely(said) > _likely(unsaid)
    assert said.confidence.value > unsaid.confidence.value


@model
@pytest.mark.parametrize(
    "said",
    [
        "We want to have 500 members by next year.",
        "We'd have 500 members if the gym was bigger.",
        "Somebody wrote that we have 500 members, which is nonsense.",
    ],
)
def test_what_is_not_so_answers_nothing(memory: Memory, said: str) -> None:
    _say(memory, "2026-01-05", [("Ann", "The club had a good year."), ("Ann", said)])
    assert _likely(memory.ask("How many members do we have?")) < 0.5


@model
def test_what_is_wished_for_answers_who_asks_for_that(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "We want to have 500 members by next year.")])
    wanted = _likely(memory.ask("How many members do we want to have?"))
    assert wanted - _likely(memory.ask("How many members do we have?")) > 1


@model
def test_what_is_only_supposed_takes_nothing_from_what_is_told(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "I live in Leeds.")])
    before = memory.ask("Where does Ann live?").confidence.value
    _say(memory, "2026-02-05", [("Ann", "I might move to Japan next year.")])
    after = memory.ask("Where does Ann live?")
    assert "Leeds" in after.contract.answer
    assert after.confidence.value > before - 0.1


@model
def test_another_version_answers_nothing(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "Released 2.4.0 today."), ("Bo", "Nice, that was quick.")])
    assert memory.ask("When was 2.4.0 released?").confidence.value > 0.7
    other = memory.ask("When was 2.3.0 released?")
    assert other.confidence.value < 0.3
    assert "Nothing is known by the name '2.3.0'" in other.contract.limitations


@model
def test_a_month_is_no_name_that_nobody_knows(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "Two tests failed, 118 passed.")])
    asked = memory.ask("How many tests failed in January?")
    assert "January" not in asked.contract.limitations


@model
def test_who_is_named_is_spoken_of_whoever_says_it(memory: Memory) -> None:
    _say(
        memory,
        "2026-05-04",
        [
            ("Marit", "Dentist rang: Jonas is booked in for Tuesday the 19th, quarter past three."),
            ("Eddy", "I'll take the bins out tonight."),
            ("Jonas", "Do I have to?"),
            ("Marit", "Yes, Jonas!"),
        ],
    )
    reply = memory.ask("When is Jonas's dentist appointment?")
    assert "quarter past three" in reply.contract.answer
    assert reply.confidence.value > 0.5


PROCESS = """# How we work

{day}Releases go out every Tuesday. Piet runs the release and writes the notes. Hotfixes need the
approval of two reviewers. Alerts of the gateway go to PagerDuty.
"""


def _index(memory: Memory, folder: Path, name: str, text: str) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / name).write_text(text)
    memory.index(folder / "docs")


def _write_down(memory: Memory, folder: Path, day: str = "") -> None:
    _index(memory, folder, "process.md", PROCESS.format(day=day))


@model
def test_what_nobody_spoke_of_is_told_by_the_document(memory: Memory, tmp_path: Path) -> None:
    _write_down(memory, tmp_path)
    _say(memory, "2026-04-02", [("Piet", "I'm handing the parking permits to Rafael"), FILLER])
    reply = memory.ask("Where do the alerts of the gateway go?")
    assert "PagerDuty" in reply.contract.answer
    assert {Path(each.path).suffix for each in reply.citations} == {".md"}


@model
def test_a_document_that_is_of_a_later_day_comes_before_a_turn(
    memory: Memory, tmp_path: Path
) -> None:
    _write_down(memory, tmp_path, "Date: 2026-05-20\n\n")
    _say(memory, "2026-02-02", [("Rafael", "I run the release from now on, Piet is off"), FILLER])
    reply = memory.ask("Who runs the release?")
    assert Path(reply.citations[0].path).suffix == ".md"


@model
@pytest.mark.parametrize(
    ("question", "new", "old"),
    [
        ("Where do we buy fuel for the boat?", "marina pump", "Pollard's Garage [2]"),
        ("Who is the treasurer?", "Gareth Pym", "Phyllis Garrow: Task treasurer [2]"),
    ],
)
def test_a_change_that_names_only_what_held_until_then_comes_before_the_document(
    memory: Memory, tmp_path: Path, question: str, new: str, old: str
) -> None:
    _index(
        memory,
        tmp_path,
        "club.md",
        "# Club\n\nFuel for the boat is bought at Pollard's Garage.\n\n| Name | Task |\n|---|---|\n"
        "| Ann Hill | head instructor |\n| Phyllis Garrow | treasurer |\n",
    )
    _say(
        memory,
        "2026-05-09",
        [
            (
                "Tobias",
                "Pollard's have gone up again. I now fill the cans at the marina pump instead.",
            ),
            ("Oona", "Phyllis is stepping down. Gareth Pym has taken over the books."),
            ("Dev", "My aunt made 200 scones."),
            ("Marit", "Card for Phyllis is in the office, please sign."),
        ],
    )
    first, _, second = memory.ask(question).contract.answer.partition("Club: ")
    assert new in first
    assert old in second


@model
@pytest.mark.parametrize(
    ("said", "question", "reply"),
    [
        ("The dentist got moved to Tuesday but I went.", "Have I been to the dentist?", "Yes: "),
        ("Pottery's over for me, my wrists hurt.", "Do I still go to pottery?", "No: "),
    ],
)
def test_yes_or_no_is_said_where_the_turn_surely_tells(
    memory: Memory, said: str, question: str, reply: str
) -> None:
    _say(memory, "2025-07-13", [("user", said), FILLER])
    assert memory.ask(question).contract.answer.startswith(reply)


@model
def test_a_sentence_that_speaks_on_is_told_with_the_one_before_it(
    memory: Memory, tmp_path: Path
) -> None:
    _index(
        memory,
        tmp_path,
        "start.md",
        "# Your first week\n\nBring your badge. Ask Anselm for a VPN certificate. It is valid "
        "for 90 days. The lift is slow.\n",
    )
    _say(memory, "2026-05-09", [("Ann", "Who feeds the cat?"), FILLER])
    answer = memory.ask("How long is a VPN certificate valid?").contract.answer
    assert answer.startswith(
        "Your first week: Ask Anselm for a VPN certificate. It is valid for 90 days [1]"
    )


@model
def test_a_file_that_was_changed_at_midnight_is_of_no_day(memory: Memory, tmp_path: Path) -> None:
    _write_down(memory, tmp_path)
    os.utime(tmp_path / "docs" / "process.md", (1_779_235_200, 1_779_235_200))  # 20 May 2026
    memory.index(tmp_path / "docs")
    _say(memory, "2026-02-02", [("Rafael", "I run the release from now on, Piet is off"), FILLER])
    assert "Rafael" in memory.ask("Who runs the release?").contract.answer.partition("[")[0]


MINUTES = {
    "2026-01-13.md": "# Committee\n\n- The annual fee stays at 95.\n- Ann runs the gear store.\n",
    "2026-03-24.md": "# General meeting\n\n41 members attended.\n\n"
    "1. The annual fee is 110 from 1 July on.\n2. Tunde Bello was elected treasurer.\n",
}


@model
def test_of_minutes_the_sentence_that_answers_is_told_with_its_day_the_last_first(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "minutes").mkdir()
    for name, text in MINUTES.items():
        (tmp_path / "minutes" / name).write_text(text)
    memory.index(tmp_path / "minutes")
    elected = memory.ask("Who is the treasurer?").contract.answer
    assert elected.startswith("General meeting, 2026-03-24: Tunde Bello was elected treasurer [1]")
    fee = memory.ask("What is the annual fee?").contract.answer
    assert fee.startswith("General meeting, 2026-03-24: The annual fee is 110")


@model
def test_a_memory_answers_the_same_whatever_it_is_asked_before(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "The spare key hangs behind the blue door.")])
    first = memory.ask("Where is the spare key?")
    memory.ask("Who has the bikes?")
    assert memory.ask("Where is the spare key?") == first


@model
def test_more_turns_are_read_than_are_shown(memory: Memory) -> None:
    filler = [("Bo", f"Nothing new about the shed today, day {n} of it.") for n in range(30)]
    _say(memory, "2026-01-05", [*filler, ("Ann", "The shed key is with Marta.")])
    reply = memory.ask("Who has the shed key?", limit=2)
    assert len(reply.hits) == 2
    assert "Marta" in reply.contract.answer


@model
@pytest.mark.parametrize("text", ["👍", "...", "\u200b", "word " * 400, "x" * 3000])
def test_turns_that_hardly_say_a_word_are_no_obstacle(memory: Memory, text: str) -> None:
    _say(memory, "2026-01-05", [("Bo", text), ("Ann", "The spare key hangs behind the blue door.")])
    assert "blue door" in memory.ask("Where is the spare key?").contract.answer
    memory.ask(text)


def test_a_short_turn_and_a_reply_are_read_with_the_turn_before() -> None:
    long = "I went all the way to the market and bought three kilos of pears for the two of us."
    assert is_said_after("Seven.", "See you then.")
    assert is_said_after(long, "So what did you do today?")
    assert not is_said_after(long, "See you then.")


def _words(count: int, speaker: str = "Ann") -> Words:
    rng = np.random.default_rng(count)
    vectors = rng.normal(size=(count, 1536)).astype(np.float32)
    forms = tuple(f"w{at}" for at in range(count))
    return Words.of([SentenceWords(forms, vectors)], speaker, machine=False)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 40)), min_size=1, max_size=TURNS),
    st.sampled_from(["", "2026-01-05T10:00:00.000Z", "unknown", "2025-12-31"]),
)
def test_what_the_head_is_given_is_bounded_and_finite(
    asked: int, turns: list[tuple[int, int]], when: str
) -> None:
    said = [
        Said(_words(own), _words(before, "Bo") if before else None, "so", when, at, 0.5)
        for at, (own, before) in enumerate(turns)
    ]
    found = inputs_of(Question.of(_words(asked, "user"), "Where was I in May 2025?"), said)
    assert len(found.asked) == min(asked, ASKED)
    assert found.words.shape == (len(turns), BEFORE + OWN, 1536)
    for row, (own, before) in zip(found.read, turns, strict=True):
        assert row[:BEFORE].sum() == min(before, BEFORE)
        assert row[BEFORE:].sum() == min(own, OWN)
    for each in found:
        assert np.isfinite(each).all()
    assert (np.abs(found.near) <= 1.001).all()
    assert (found.said[:, 2] < 1).all()
