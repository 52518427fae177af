"""Sentences parsed from the layers of the encoder; trees and words, which need no weights."""

import hashlib
from importlib.resources import files
from itertools import product

import numpy as np
import pytest

from quipu.embed import MiniLM
from quipu.extract.grammar import GRAMMAR_SHA256, Sentence, parse
from quipu.extract.grammar.head import best_tree
from quipu.extract.grammar.words import lemma_of, spelled, split_words


@pytest.fixture(scope="module")
def encoder() -> MiniLM:
    return MiniLM(threads=1)


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in split_words(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't live there.", ["I", "do", "n't", "live", "there", "."]),
        ("Dana's dog can’t swim!", ["Dana", "'s", "dog", "ca", "n’t", "swim", "!"]),
        (
            "It costs $1,000.50, not 5%.",
            ["It", "costs", "$", "1,000.50", ",", "not", "5", "%", "."],
        ),
        ("a long-term plan for us-east-1", ["a", "long", "-", "term", "plan", "for", "us-east-1"]),
        ("On 2027-05-04 at 10:30", ["On", "2027-05-04", "at", "10:30"]),
        ("see https://x.org/a?b=1 or a@b.org", ["see", "https://x.org/a?b=1", "or", "a@b.org"]),
        ("We cannot stop.", ["We", "can", "not", "stop", "."]),
        ("", []),
    ],
)
def test_words_are_cut_as_in_the_treebank(text: str, words: list[str]) -> None:
    assert _words(text) == words


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("im in leeds", "i'm in leeds"),
        ("Ive seen it, dont worry", "I've seen it, don't worry"),
        ("its 32 euro", "it's 32 euro"),
        ("its a rabbit, its name is Bo", "it's a rabbit, its name is Bo"),
        ("hes well, were late, my id", "he's well, were late, my id"),
        ("IM me at im.example.org or @im", "IM me at im.example.org or @im"),
        ("I'm here, don’t go", "I'm here, don’t go"),
    ],
)
def test_apostrophes_that_were_left_out_are_read(written: str, read: str) -> None:
    assert spelled(written).text == read


def test_places_are_those_of_what_was_written() -> None:
    written = "ive got it, dont ask, its 5"
    read = spelled(written)
    for word in ("got", "ask", "5"):
        at = written.index(word)
        assert read.own(at) == read.text.index(word)
        assert read.place(read.own(at)) == at


def test_words_keep_their_places_where_an_apostrophe_was_left_out(encoder: MiniLM) -> None:
    text = "btw im in leeds, dont ask"
    (sentence,) = parse(text, encoder.read)
    assert [text[t.start : t.end] for t in sentence.tokens][1:3] == ["i", "m"]
    assert [t.form for t in sentence.tokens][1:3] == ["i", "'m"]
    assert all(t.form in ("'m", "n't", text[t.start : t.end]) for t in sentence.tokens)


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("moved", "VERB", "move"),
        ("planned", "VERB", "plan"),
        ("switches", "VERB", "switch"),
        ("decided", "VERB", "decide"),
        ("owns", "VERB", "own"),
        ("carried", "VERB", "carry"),
        ("migrated", "VERB", "migrate"),
        ("cities", "NOUN", "city"),
        ("boxes", "NOUN", "box"),
        ("Redis", "PROPN", "redis"),
    ],
)
def test_lemmas_follow_spelling(form: str, tag: str, lemma: str) -> None:
    assert lemma_of(form, tag, {}) == lemma


def test_an_exception_goes_before_the_rules() -> None:
    assert lemma_of("Went", "VERB", {"went/VERB": "go"}) == "go"


def _best_by_trying(scores: np.ndarray) -> float:
    """The score of the best tree with one root, among all."""
    count = len(scores)
    best = -np.inf
    for heads in product(range(count + 1), repeat=count):
        if sum(head == 0 for head in heads) != 1:
            continue
        for start in range(1, count + 1):
            seen, node = set(), start
            while node and node not in seen:
                seen.add(node)
                node = heads[node - 1]
            if node:
                break
        else:
            best = max(best, sum(scores[i, head] for i, head in enumerate(heads)))
    return float(best)


def test_the_tree_is_the_best_of_all_with_one_root() -> None:
    rng = np.random.default_rng(5)
    for count in (1, 2, 3, 4, 5):
        for _ in range(40):
            scores = rng.normal(0, 3, (count, count + 1)).astype(np.float32)
            scores[np.arange(count), np.arange(count) + 1] = -1e9
            heads = best_tree(scores)
            assert (heads == -1).sum() == 1
            found = sum(float(scores[i, head + 1]) for i, head in enumerate(heads))
            assert found == pytest.approx(_best_by_trying(scores), abs=1e-3)


def test_no_words_have_no_tree() -> None:
    assert best_tree(np.zeros((0, 1), np.float32)).tolist() == []


def _told(sentence: Sentence) -> dict[str, tuple[str, str]]:
    return {
        t.form: (t.label, sentence.tokens[t.head].form if t.head >= 0 else "")
        for t in sentence.tokens
    }


@pytest.mark.model
def test_a_sentence_knows_subject_object_and_negation(encoder: MiniLM) -> None:
    (sentence,) = parse("Marta does not drink coffee.", encoder.read)
    told = _told(sentence)
    assert told["Marta"] == ("nsubj", "drink")
    assert told["coffee"] == ("obj", "drink")
    assert told["not"] == ("advmod", "drink")
    assert told["drink"] == ("root", "")
    assert [t.tag for t in sentence.tokens] == ["PROPN", "AUX", "PART", "VERB", "NOUN", "PUNCT"]


@pytest.mark.model
def test_words_know_their_characters(encoder: MiniLM) -> None:
    text = "Hello there.  Ann's cat sleeps on the sofa. Bob left."
    found = parse(text, encoder.read)
    assert [text[s.start : s.end] for s in found] == [
        "Hello there.",
        "Ann's cat sleeps on the sofa.",
        "Bob left.",
    ]
    assert all(text[t.start : t.end] == t.form for s in found for t in s.tokens)


@pytest.mark.model
def test_every_sentence_is_a_tree(encoder: MiniLM) -> None:
    text = "We moved, she said, from A to B because if not then what! " * 30
    for sentence in parse(text, encoder.read):
        assert sum(t.head < 0 for t in sentence.tokens) == 1
        for at in range(len(sentence.tokens)):
            steps, node = 0, at
            while node >= 0:
                node = sentence.tokens[node].head
                steps += 1
                assert steps <= len(sentence.tokens)


@pytest.mark.model
def test_what_the_encoder_does_not_reach_is_left_out(encoder: MiniLM) -> None:
    text = "word " * 600 + "end."
    assert parse(text, encoder.read) == []
    assert parse("", encoder.read) == []


@pytest.mark.model
def test_layers_and_vectors_are_of_one_pass(encoder: MiniLM) -> None:
    text = "Dana lives in Rome."
    layers = encoder.read(text)
    assert layers.vectors.shape == (5, 4 * 384)
    (mean,) = encoder.embed_parts(text, [(0, len(text))]).parts
    last = layers.vectors[:, -384:].mean(axis=0)
    assert np.allclose(mean, last / np.linalg.norm(last), atol=1e-6)


def test_the_weights_are_the_expected_ones() -> None:
    data = files("quipu.extract.grammar").joinpath("grammar.npz").read_bytes()
    assert hashlib.sha256(data).hexdigest() == GRAMMAR_SHA256
