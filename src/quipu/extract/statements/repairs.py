"""What a speaker takes back in the same breath, or another corrects: "31, sorry, 32", "I mean
4417", "no, 4". The correction names only the new value; what it is of was said right before."""

from collections.abc import Sequence

from quipu.extract.statements.phrases import Phrases
from quipu.extract.statements.statement import CHANGE, Statement

__all__ = ["corrected", "repaired"]

_OPENING = (
    ("i", "mean"), ("no", "wait"), ("make", "that"), ("make", "it"), ("scratch", "that"),
    ("sorry",), ("no",), ("wait",), ("correction",), ("rather",),
)  # fmt: skip
_LONGEST = 8


def repaired(here: Phrases, statements: Sequence[Statement]) -> list[Statement]:
    """The statements of a sentence with what it takes back replaced: "is 31, sorry, 32"."""
    tokens = here.sentence.tokens
    found = list(statements)
    for at, token in enumerate(tokens):
        after = _behind_opening(here, _over_marks(here, at + 1)) if _is_number(token.form) else -1
        if 0 < after < len(tokens) and _is_number(tokens[after].form):
            old, new = token.form, tokens[after].form
            found = [
                each._replace(object=each.object.replace(old, new)) if old in each.object else each
                for each in found
            ]
    return found


def corrected(here: Phrases, last: Statement | None) -> list[Statement]:
    """The last statement with the value that a sentence of nothing but a correction gives it."""
    tokens = here.sentence.tokens
    after = _behind_opening(here, _over_marks(here, 0))
    numbers = [at for at in range(max(after, 0), len(tokens)) if _is_number(tokens[at].form)]
    known = last is not None and any(map(_is_number, last.object.split()))
    if last is None or not known or after < 0 or not numbers or len(tokens) > _LONGEST:
        return []
    values = here.values(numbers[0], split=False)
    if not values or any("?" in token.form for token in tokens):
        return []
    sentence = here.sentence
    return [
        last._replace(
            object=values[0][0], start=sentence.start, end=sentence.end, rule=CHANGE,
            valid_from=here.told.said_on, valid_to=None,
        )
    ]  # fmt: skip


def _behind_opening(here: Phrases, at: int) -> int:
    """Where what follows a word of correction begins; -1 where none stands at `at`."""
    low = [token.form.lower() for token in here.sentence.tokens]
    for words in _OPENING:
        if tuple(low[at : at + len(words)]) == words:
            behind = _over_marks(here, at + len(words))
            further = _behind_opening(here, behind)  # "sorry, I mean"
            return further if further > 0 else behind
    return -1


def _over_marks(here: Phrases, at: int) -> int:
    tokens = here.sentence.tokens
    while at < len(tokens) and tokens[at].tag == "PUNCT":
        at += 1
    return at


def _is_number(form: str) -> bool:
    return form[:1].isdigit() or form.lstrip("$€£+-")[:1].isdigit()
