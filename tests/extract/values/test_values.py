"""The head that finds what a turn states, and what is made of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.embed import MiniLM
from quipu.extract.grammar import ParsedToken, Sentence, read_sentences
from quipu.extract.statements import Spoken, Statement, read_statements, sentence_spans
from quipu.extract.values import SPEAKER, TurnWords, ValueReading, Word, words_of
from quipu.extract.values.head import NAMELESS
from quipu.extract.values.inputs import BEFORE, WORDS, inputs_of

model = pytest.mark.model
NOON = "2026-05-01T12:00:00.000Z"


def _turn(encoder: MiniLM, speaker: str, text: str) -> TurnWords:
    return words_of(read_sentences(text, encoder.read, list(sentence_spans(text))), speaker)


def _said(encoder: MiniLM, *turns: tuple[str, str]) -> list[Statement]:
    spoken, read = Spoken(), list[Statement]()
    for speaker, text in turns:
        read = read_statements(
            text, speaker=speaker, observed_at=NOON, layers=encoder.read, spoken=spoken
        )
    return read


def _values(reading: ValueReading) -> list[str]:
    return [
        " ".join(t.form for t in reading.turn.sentences[v.sentence].tokens[v.first : v.last + 1])
        for v in reading.values()
    ]


@model
def test_a_value_is_found_with_the_word_that_names_its_owner(encoder: MiniLM) -> None:
    turn = _turn(encoder, "Ann", "Morning! The deposit is 40 euros, same as last year.")
    reading = ValueReading(turn, [])
    assert "40 euros" in _values(reading)
    (value,) = (
        v for v, said in zip(reading.values(), _values(reading), strict=True) if "40" in said
    )
    assert isinstance(value.owner, Word)
    assert turn.sentences[value.owner.sentence].tokens[value.owner.at].form == "deposit"
    assert 0.5 < value.owner_sure <= 1


@model
def test_what_one_says_of_oneself_is_the_speakers(encoder: MiniLM) -> None:
    reading = ValueReading(_turn(encoder, "Ann", "I'm a potter, I live in Deventer."), [])
    assert {v.owner for v in reading.values()} == {SPEAKER}


@model
def test_what_is_asked_or_chatted_states_nothing(encoder: MiniLM) -> None:
    for text in ("Ha, good one. Thanks a lot!", "What time do we open, does anybody know?"):
        assert ValueReading(_turn(encoder, "Ann", text), []).values() == []


@model
def test_a_short_turn_states_a_value_of_what_was_spoken_of(encoder: MiniLM) -> None:
    read = _said(
        encoder,
        ("Ann", "Right, the kiln. How hot do we fire it these days?"),
        ("Bo", "1240, with a slow cool down"),
    )
    assert ("kiln", "1240") in [(s.subject, s.object) for s in read]


@model
@pytest.mark.parametrize(
    "text",
    [
        "Joking aside, I'm not moving to Madrid, that was a joke.",
        "We nearly moved to Leeds.",
        "Anna has worked at Ikea for six years.",
    ],
)
def test_what_is_denied_hedged_or_lasting_is_no_value(encoder: MiniLM, text: str) -> None:
    read = _said(encoder, ("Dev", text))
    assert not any(word in s.object for s in read for word in ("Madrid", "Leeds", "years"))


@model
def test_a_turn_gives_the_same_alone_and_behind_others_written_with_it(encoder: MiniLM) -> None:
    turns = [("Ann", "The studio has a new kiln."), ("Bo", "how much?"), ("Ann", "2,300. Used.")]
    at_once = _said(encoder, *turns)
    earlier = Spoken(list)
    for speaker, text in turns:
        again = read_statements(
            text, speaker=speaker, observed_at=NOON, layers=encoder.read, spoken=earlier
        )
    assert again == at_once


@model
def test_a_turn_that_cannot_be_read_hides_none_behind_it(encoder: MiniLM) -> None:
    endless = "word " * 300
    for before in (endless, "👍", "...", "\u200b"):
        read = _said(encoder, ("Ann", before), ("Bo", "The deposit is 40 euros."))
        assert [(s.subject, s.object) for s in read] == [("deposit", "40 euros")]


@model
def test_a_statement_bears_a_sketch_of_what_its_value_is_a_value_of(encoder: MiniLM) -> None:
    (read,) = _said(encoder, ("Ann", "The rent is 900 euros."))
    assert read.sketch
    assert 0 <= read.fresh <= 1


@model
def test_a_turn_longer_than_is_seen_at_once_is_read_to_its_end(encoder: MiniLM) -> None:
    text = " ".join(["We talked about the weather and about nothing else at all."] * 20)
    reading = ValueReading(_turn(encoder, "Ann", f"{text} The deposit is 40 euros."), [])
    assert len(reading.turn.vectors) > 2 * WORDS
    assert "40 euros" in _values(reading)


def _plain(words: int, speaker: str = "Ann") -> TurnWords:
    """A sentence of one word after the other, each hanging on the one before."""
    tokens = tuple(
        ParsedToken(f"w{at}", f"w{at}", "NOUN", at - 1, "obj" if at else "root", 3 * at, 3 * at + 2)
        for at in range(words)
    )
    vectors = np.ones((words, 1536), np.float32)
    return TurnWords((Sentence(tokens, 0, 3 * words),) if words else (), vectors, speaker, False)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.lists(st.integers(0, 90), max_size=6))
def test_every_word_of_a_turn_is_seen_once_behind_as_many_as_fit(own: int, said: list[int]) -> None:
    turn, before = _plain(own), [_plain(count, "Bo") for count in said]
    seen: list[int] = []
    for stretch in turn.chunks():
        given_ = inputs_of(turn, before, stretch)
        count = len(given_.heads) - given_.first
        seen += range(given_.start, given_.start + count)
        assert 0 < count <= WORDS
        assert given_.first <= BEFORE
        assert all(head < len(given_.heads) for head in given_.heads)
        assert all((given_.steps(at) > 0)[at] for at in range(len(given_.heads)))
    assert seen == list(range(own))
    assert NAMELESS == 3
