"""Faults of a parse that its own words give away, mended."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from quipu.extract.grammar.sentence import Token

__all__ = ["is_tree", "mended"]

_OPENING = frozenset(".:;!?\"“”'‘(-–—")
_NAMING = frozenset({"NOUN", "PROPN", "X"})
_NUMERIC = frozenset({"NUM", "SYM"})
_WITHIN = frozenset({"flat", "compound", "nummod", "nmod", "nmod:unmarked", "obl:unmarked"})
_OWN_CLAUSE = frozenset("acl acl:relcl advcl ccomp conj xcomp parataxis csubj cop aux".split())


def mended(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one sentence with what is told from their words put right. What is mended is
    a tree as what was given: a mend that would break it is left out."""
    found = list(tokens)
    for mend in _MENDS:
        tried = list(found)
        mend(tried)
        found = tried if is_tree(tried) else found
    return found


def is_tree(tokens: Sequence[Token]) -> bool:
    """Whether one word hangs on none and every other, over whatever others, on it."""
    if sum(token.head < 0 for token in tokens) != 1:
        return False
    safe: set[int] = set()
    for start in range(len(tokens)):
        way: list[int] = []
        at = start
        while at >= 0 and at not in safe:
            if at in way:
                return False
            way.append(at)
            at = tokens[at].head
        safe.update(way)
    return True


def _genitives(tokens: list[Token]) -> None:
    """There is no genitive in "the rent's 950"."""
    for at, token in enumerate(tokens):
        owner = tokens[token.head] if token.head >= 0 else token
        if token.form in ("'s", "’s") and token.label == "case" and owner.label == "nsubj":
            tokens[at] = replace(token, tag="AUX", lemma="be", label="cop", head=owner.head)


def _names(tokens: list[Token]) -> None:
    """What has a capital inside a sentence and modifies nothing is a name."""
    for at, token in enumerate(tokens):
        inside = at > 0 and tokens[at - 1].form not in _OPENING
        named = token.tag in ("ADJ", "NOUN") and token.label not in ("amod", "compound")
        if inside and token.form[:1].isupper() and named and not token.form.isupper():
            tokens[at] = replace(token, tag="PROPN", lemma=token.form.lower())


def _firms(tokens: list[Token]) -> None:
    """Names with "&" between them are one: "Holm & Partners"."""
    for at in range(1, len(tokens) - 1):
        before, after = tokens[at - 1], tokens[at + 1]
        named = before.form[:1].isupper() and after.form[:1].isupper()
        if tokens[at].form == "&" and named and after.label == "conj":
            tokens[at] = replace(tokens[at], label="flat", head=after.head)
            tokens[at + 1] = replace(after, label="flat")


def _numbers(tokens: list[Token]) -> None:
    """A number of several words ("+49 170 1234567") is one phrase; what hangs on one of its words
    hangs on the first."""
    at = 0
    while at < len(tokens):
        end = at
        while tokens[at].tag in _NUMERIC and end + 1 < len(tokens) and tokens[end + 1].tag == "NUM":
            end += 1
        if end > at:
            _join(tokens, at, end)
        at = end + 1


def _join(tokens: list[Token], first: int, last: int) -> None:
    own = range(first, last + 1)
    if not any(tokens[i].form.isdigit() for i in own[1:]):
        return
    top = next((i for i in own if tokens[i].head not in own), first)
    head, label = tokens[top].head, tokens[top].label
    for i, token in enumerate(tokens):
        if i not in own and token.head in own:
            tokens[i] = replace(token, head=first)
    for i in own[1:]:
        tokens[i] = replace(tokens[i], head=first, label="flat")
    tokens[first] = replace(tokens[first], head=head, label=label, tag="NUM")


def _versions(tokens: list[Token]) -> None:
    """A number right behind a name belongs to it: "runs Ubuntu 22.04", "a Pixel 7"."""
    for at in range(1, len(tokens)):
        name, number = tokens[at - 1], tokens[at]
        named = name.tag in ("PROPN", "X") or (name.tag == "NOUN" and name.form[:1].isupper())
        if number.tag != "NUM" or not named:
            continue
        if name.head == at:
            tokens[at - 1] = replace(name, tag="PROPN", head=number.head, label=number.label)
            _hang(tokens, at, at - 1)
        elif number.label in ("obl", "nmod", "dep") and number.head not in (at - 1, -1):
            alone = not any(t.head == at and t.tag != "PUNCT" for t in tokens)
            if alone:
                _hang(tokens, at, at - 1)


def _hang(tokens: list[Token], number: int, name: int) -> None:
    """Make a number, and all that hung on it, hang on a name."""
    for i, token in enumerate(tokens):
        if token.head == number and i != name:
            tokens[i] = replace(token, head=name)
    tokens[number] = replace(tokens[number], head=name, label="flat")


def _got(tokens: list[Token]) -> None:
    """What "got rescheduled" was rescheduled."""
    for at, token in enumerate(tokens):
        above = tokens[token.head] if token.head >= 0 else token
        done = token.tag == "VERB" and token.label == "xcomp" and token.form.endswith(("ed", "en"))
        if not done or above.lemma != "get" or token.head > at:
            continue
        get = token.head
        tokens[at] = replace(token, head=above.head, label=above.label)
        tokens[get] = replace(above, tag="AUX", label="aux:pass", head=at)
        for i, other in enumerate(tokens):
            if other.head == get and i != at:
                label = "nsubj:pass" if other.label == "nsubj" else other.label
                tokens[i] = replace(other, head=at, label=label)


def _inner_copulas(tokens: list[Token]) -> None:
    """Whatever word of a phrase "is" was hung on, it belongs to the main one: "a Pixel 7"."""
    for at, token in enumerate(tokens):
        if token.label != "cop" or token.head < 0:
            continue
        top = token.head
        while at < tokens[top].head < top and tokens[top].label in _WITHIN:
            top = tokens[top].head
        tokens[at] = replace(token, head=top)


def _clauses(tokens: list[Token]) -> None:
    """What has a subject and a copula of its own is a clause of its own."""
    for at, token in enumerate(tokens):
        under = {t.label for t in tokens if t.head == at}
        if token.label in _WITHIN | {"obl", "appos"} and {"cop", "nsubj"} <= under:
            tokens[at] = replace(token, label="parataxis")


def _copulas(tokens: list[Token]) -> None:
    """Of "X is Y" the second says something of the first, and is no part of it."""
    for at, token in enumerate(tokens):
        copula = next((i for i, t in enumerate(tokens) if t.head == at and t.label == "cop"), -1)
        subject = token.head
        if not 0 <= subject < copula < at or token.label in _OWN_CLAUSE:
            continue
        above = tokens[subject]
        if above.tag not in _NAMING or any(
            t.head == at and t.label.startswith("nsubj") for t in tokens
        ):
            continue
        tokens[at] = replace(token, head=above.head, label=above.label)
        tokens[subject] = replace(above, head=at, label="nsubj")
        for i, other in enumerate(tokens):
            if other.head == subject and (i > copula or other.label == "nsubj"):
                tokens[i] = replace(other, head=at)


_MENDS: tuple[Callable[[list[Token]], None], ...] = (
    _genitives, _names, _firms, _numbers, _versions, _got, _inner_copulas, _copulas, _clauses,
)  # fmt: skip
