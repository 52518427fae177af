"""The clauses of a long sentence that stand for themselves: "the port is 80, the host is new, and
it runs on two nodes". Each is parsed better alone than all of them together.

Only what is joined by a mark, and has a subject and a verb of its own on either side, is cut; what
is a condition, a relative clause, a quotation, or reported by somebody is left with what it hangs
on.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from quipu.extract.grammar.words import ParsedToken

__all__ = ["parts"]

_MARKS = frozenset({",", ";", ":", "–", "—", "-", "--", "...", "…", "("})
_TOPIC = ":"
_STRONG = frozenset({";", ":", "but"})
_NAMING = frozenset({"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"})
_OF_SUBJECT = _NAMING | {"DET", "ADJ", "ADV", "PART", "ADP"}
_FIRST = _NAMING | {"DET", "ADJ"}
_BEFORE = frozenset({"CCONJ", "INTJ"})
_JOINING = frozenset("so then but and now btw also plus".split())
_TURNING = frozenset({"and", "but", "so"})
_SUBJECTS = frozenset("i we he she it they you".split())
_UNDER = frozenset(
    "if when while because since although though unless whether as once after before until till "
    "where wherever whenever in that which who whom whose what how why for than".split()
)
_RELATIVE = frozenset("which who whose whom where".split())
_REPORTING = frozenset(
    "say tell mention report announce claim think believe guess hope suppose wish want expect hear "
    "reckon assume ask wonder imagine pretend swear promise dream write reply".split()
)
_NOT_FINITE = frozenset({"be", "been", "being", "having"})
_MODIFYING = frozenset({"amod", "acl", "compound", "acl:relcl", "xcomp", "flat", "nmod", "case"})
_LONGEST_SUBJECT = 8
_LISTING = frozenset({",", "and", ";"})
_NAMED = frozenset({"NOUN", "PROPN", "ADJ"})
_LONGEST_GAPPED, _LONGEST_UNIT = 3, 1
_GLUED = frozenset({"-", "–", "_", "/"})
_OPENING, _CLOSING, _QUOTES = "([", ")]", '"“”'


def parts(tokens: Sequence[ParsedToken]) -> list[tuple[int, int]]:
    """The stretches of words, in order, that are clauses of their own; one where nothing is cut."""
    cuts = [0, *_cuts(tokens), len(tokens)]
    return list(pairwise(cuts))


def _cuts(tokens: Sequence[ParsedToken]) -> Iterator[int]:
    if not tokens or tokens[-1].form.startswith("?"):
        return
    begin = depth = 0
    quoted = False
    for at, token in enumerate(tokens):
        depth += (token.form in _OPENING) - (token.form in _CLOSING)
        quoted ^= token.form in _QUOTES
        if depth > 0 or quoted or not at:
            continue
        first = at + 1 if _is_mark(tokens, at) else at
        turned = first == at and token.form.lower() in _TURNING
        turned = turned and (_is_turn(tokens, at) or _is_gapped(tokens, begin, at, at))
        if (first > at or turned) and _is_cut(tokens, begin, at, first):
            yield first
            begin = first


def _is_mark(tokens: Sequence[ParsedToken], at: int) -> bool:
    if tokens[at].form not in _MARKS or at + 1 >= len(tokens):
        return False
    written_together = tokens[at].end == tokens[at + 1].start
    return not (written_together and tokens[at].form in _GLUED)


def _is_turn(tokens: Sequence[ParsedToken], at: int) -> bool:
    """Whether "and it …" goes on with another subject; behind "but" any does."""
    if tokens[at].form.lower() == "but":
        return True
    if at + 3 < len(tokens) and tokens[at + 2].form in ("'s", "’s"):
        return tokens[at + 1].tag == "PROPN" and tokens[at + 3].tag == "AUX"  # "and Bob's is 3k"
    return at + 1 < len(tokens) and tokens[at + 1].form.lower() in _SUBJECTS


def _is_cut(tokens: Sequence[ParsedToken], begin: int, end: int, first: int) -> bool:
    """Whether what begins at `first` is a clause of its own, and what ends at `end` is whole."""
    mark = tokens[end].form.lower()
    if mark == _TOPIC:
        return end > begin and _is_clause(tokens, first, placed=True)
    before = tokens[begin:end]
    whole = any(_is_finite(tokens, i) for i in range(begin, end))
    if not whole or _is_under(before):
        return False
    if mark not in _STRONG and any(t.lemma in _REPORTING and t.tag == "VERB" for t in before):
        return False
    if mark in _LISTING and _is_gapped(tokens, begin, end, first):
        return True
    both = _is_done(tokens, begin) and _is_done(tokens, first)
    first = _over_that(tokens, begin, first)
    return both or _is_clause(tokens, first) or _is_condition(tokens, first)


def _is_gapped(tokens: Sequence[ParsedToken], begin: int, end: int, first: int) -> bool:
    """Whether another thing and its measure follow a clause that tells of one, its verb left out:
    "sells at 4.20, rye at 4.80", "adults pay 850 and juniors 300"."""
    at = first + 1 if tokens[first].tag == "CCONJ" else first
    named = at
    while at < len(tokens) and (tokens[at].tag in _NAMED or tokens[at].label == "amod"):
        at += 1
    if not 0 < at - named <= _LONGEST_GAPPED or tokens[at - 1].tag not in ("NOUN", "PROPN"):
        return False
    case = tokens[at].lemma if at < len(tokens) and tokens[at].tag == "ADP" else ""
    at += bool(case)
    if case and not any(t.lemma == case for t in tokens[begin:end]):
        return False
    while at < len(tokens) and tokens[at].tag == "SYM":
        at += 1
    measured = at < len(tokens) and tokens[at].form[:1].isdigit()
    behind = [t for t in tokens[at + 1 : at + 1 + _LONGEST_UNIT] if t.tag == "NOUN"]
    at += 1 + len(behind)
    over = at >= len(tokens) or tokens[at].tag in ("PUNCT", "CCONJ")
    before = any(t.form[:1].isdigit() for t in tokens[begin:end])
    return measured and over and before


def _is_under(words: Sequence[ParsedToken]) -> bool:
    """Whether a clause hangs on another: "if …", "because …"."""
    opened = [t for t in words if t.tag not in ("PUNCT", "CCONJ", "INTJ")][:1]
    if opened and opened[0].form.lower() == "that":
        return False  # it was cut off as what is told beside something else
    return any(t.tag == "SCONJ" or (t.form.lower() in _UNDER and t.tag != "ADP") for t in opened)


def _is_clause(tokens: Sequence[ParsedToken], first: int, *, placed: bool = False) -> bool:
    """Whether words from `first` on are a subject and its verb; `placed` where a time may lead."""
    at = _over_joining(tokens, first)
    if at >= len(tokens) or tokens[at].form.lower() in _UNDER - ({"in"} if placed else set()):
        return False
    modifies = tokens[at].tag == "VERB" and tokens[at].label in ("compound", "amod")
    if not placed and tokens[at].tag not in _FIRST and not modifies:
        return False
    named, i, longest = False, at, at + _LONGEST_SUBJECT
    while i < min(longest, len(tokens)):
        if _is_finite(tokens, i):
            return named and tokens[i].lemma not in _REPORTING
        if named and (over := _over_inserted(tokens, i)) > i:
            i, longest = over, longest + over - i
            continue
        token = tokens[i]
        glued = token.tag == "PUNCT" and token.form in _GLUED
        modifies = token.tag == "VERB" and token.label in ("compound", "amod")
        if token.tag not in _OF_SUBJECT and not (glued or modifies):
            return False
        if token.form.lower() in _UNDER - {"in", "for", "as", "after", "before", "since"}:
            return False
        named = named or token.tag in _NAMING
        i += 1
    return False


def _over_inserted(tokens: Sequence[ParsedToken], at: int) -> int:
    """Where a subject goes on behind what is told of it between commas: "the plan, which …,"."""
    inserted = tokens[at].form == "," and at + 1 < len(tokens)
    if not inserted or tokens[at + 1].form.lower() not in _RELATIVE:
        return at
    return next((i + 1 for i in range(at + 1, len(tokens)) if tokens[i].form == ","), at)


def _over_that(tokens: Sequence[ParsedToken], begin: int, first: int) -> int:
    """Behind the "that" of what is told beside something else: "we agreed that …, and that …"."""
    at = _over_joining(tokens, first)
    complementizer = at < len(tokens) and tokens[at].form.lower() == "that"
    earlier = any(t.form.lower() == "that" and t.label == "mark" for t in tokens[begin:first])
    return at + 1 if complementizer and earlier else first


def _over_joining(tokens: Sequence[ParsedToken], at: int) -> int:
    while at < len(tokens) and (tokens[at].tag in _BEFORE or tokens[at].form.lower() in _JOINING):
        at += 1
    return at


def _is_done(tokens: Sequence[ParsedToken], first: int) -> bool:
    """Whether what was done leads, and who did it is left out: "rotated the key, moved …"."""
    at = _over_joining(tokens, first)
    if at >= len(tokens) or tokens[at].tag != "VERB" or tokens[at].form.lower() in _NOT_FINITE:
        return False
    form, lemma = tokens[at].form.lower(), tokens[at].lemma
    return form != lemma and not form.endswith(("ing", "s"))


def _is_condition(tokens: Sequence[ParsedToken], first: int) -> bool:
    """Whether a condition follows with what comes of it: "…, if it rains it is on Sunday"."""
    if tokens[first].form.lower() not in ("if", "when") if first < len(tokens) else True:
        return False
    verbs = [i for i in range(first, len(tokens)) if _is_finite(tokens, i)]
    return len(verbs) > 1 and any(
        _is_clause(tokens, i) for i in range(verbs[0] + 1, verbs[-1] + 1) if i <= verbs[-1]
    )


def _is_finite(tokens: Sequence[ParsedToken], at: int) -> bool:
    """Whether a word may be the verb of a clause."""
    token = tokens[at]
    low = token.form.lower()
    if token.tag not in ("VERB", "AUX") or low in _NOT_FINITE:
        return False
    led = at > 0 and (tokens[at - 1].tag == "PART" and tokens[at - 1].lemma == "to")
    if token.tag == "AUX":
        return not led
    return not (led or low.endswith("ing") or token.label in _MODIFYING)
