"""Mends leave a tree a tree, whatever the words are."""

from hypothesis import given
from hypothesis import strategies as st

from quipu.extract.grammar.mend import is_tree, mended
from quipu.extract.grammar.words import ParsedToken

WORDS = st.sampled_from(
    ["is", "got", "Pixel", "7", "+", "49", "12", "'s", "June", "the", "kit", "-", "moved", "old"]
)
TAGS = st.sampled_from(["NOUN", "PROPN", "VERB", "AUX", "NUM", "SYM", "PUNCT", "DET", "ADJ", "X"])
LABELS = st.sampled_from(
    ["nsubj", "cop", "flat", "compound", "nmod", "obl", "xcomp", "case", "obj", "appos", "det"]
)


@st.composite
def parses(draw: st.DrawFn) -> list[ParsedToken]:
    """Any words, each hanging on one that comes earlier in some order."""
    count = draw(st.integers(1, 9))
    order = draw(st.permutations(range(count)))
    heads = {order[0]: -1}
    for place, at in enumerate(order[1:], 1):
        heads[at] = order[draw(st.integers(0, place - 1))]
    found: list[ParsedToken] = []
    for at in range(count):
        form = draw(WORDS)
        label = "root" if heads[at] < 0 else draw(LABELS)
        lemma = {"is": "be", "got": "get", "moved": "move"}.get(form, form.lower())
        found.append(
            ParsedToken(form, lemma, draw(TAGS), heads[at], label, 8 * at, 8 * at + len(form))
        )
    return found


@given(parses())
def test_a_mended_tree_is_a_tree_of_the_same_words(tokens: list[ParsedToken]) -> None:
    assert is_tree(tokens)
    found = mended(tokens)
    assert is_tree(found)
    assert [(t.form, t.start, t.end) for t in found] == [(t.form, t.start, t.end) for t in tokens]


def test_what_is_no_tree_is_known() -> None:
    ring = [
        ParsedToken("a", "a", "NOUN", 1, "nmod", 0, 1),
        ParsedToken("b", "b", "NOUN", 0, "nmod", 2, 3),
    ]
    two = [
        ParsedToken("a", "a", "NOUN", -1, "root", 0, 1),
        ParsedToken("b", "b", "NOUN", -1, "root", 2, 3),
    ]
    assert not is_tree(ring)
    assert not is_tree(two)
