"""The clauses of a long sentence that stand for themselves: "the port is 80, the host is new, and
it runs on two nodes". Each is parsed better alone than all of them together.

Only what is joined by a mark, and has a subject and a verb of its own on either side, is cut; what
is a condition, a relative clause, a quotation, or reported by somebody is left with what it hangs
on.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from quipu.extract.grammar.words import ASKING, ParsedToken

__all__ = ["Part", "is_reason", "parts"]

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
_LONGEST_TAG = 4
_LONGEST_OPENER = 3
_OPENERS = frozenset({"INTJ", "ADJ", "PART", "VERB", "PUNCT"})
_GIVING_REASON = frozenset("because cause cos coz cuz".split())
_RELATIVE = frozenset("which who whose whom where".split())
_TELLING_MORE = frozenset({"who", "which"})
_PLACING = frozenset("from in of at near".split())
_FIXED = frozenset("the this that my our your his her their its".split())
_REPORTING = frozenset(
    "say tell mention report announce claim think believe guess hope suppose wish want expect hear "
    "reckon assume ask wonder imagine pretend swear promise dream write reply".split()
)
_DOING = frozenset({"write", "announce", "report"})
_ANSWERS = frozenset({"yes", "no"})
_NOT_FINITE = frozenset({"be", "been", "being", "having"})
_MODIFYING = frozenset({"amod", "acl", "compound", "acl:relcl", "xcomp", "flat", "nmod", "case"})
_LONGEST_SUBJECT = 8
_LISTING = frozenset({",", "and", ";"})
_NAMED = frozenset({"NOUN", "PROPN", "ADJ"})
_NAMED_BY, _LONGEST_PLACED = 2, 6
_LONGEST_GAPPED, _LONGEST_UNIT = 3, 1
_GLUED = frozenset({"-", "–", "_", "/"})
_OPENING, _CLOSING, _QUOTES = "([", ")]", '"“”'


class Part(NamedTuple):
    """A clause of its own, by its words: the first `subject` of them are what it is of."""

    words: list[int]
    subject: int = 0


def parts(tokens: Sequence[ParsedToken]) -> list[Part]:
    """The clauses of their own, in order; one where nothing is cut. What tells more of something
    has that in the place of "who" and "which": "my vet is Prosser, who drives a Subaru" is "my vet
    is Prosser" and "Prosser drives a Subaru"."""
    found: list[Part] = []
    for begin, end in pairwise([0, *_cuts(tokens), len(tokens)]):
        asks = tokens[-1].form.startswith("?")
        of = _tells_more(tokens, begin - 1) if begin and not asks else []
        found.append(Part([*of, *range(begin + bool(of), end)], len(of)))
    return found


def _cuts(tokens: Sequence[ParsedToken]) -> Iterator[int]:
    if not tokens:
        return
    if tokens[-1].form.startswith("?"):
        yield from _before_question(tokens)
        return
    begin = depth = 0
    quoted = False
    for at, token in enumerate(tokens):
        depth += (token.form in _OPENING) - (token.form in _CLOSING)
        quoted ^= token.form in _QUOTES
        if depth > 0 or quoted or not at:
            continue
        first = at + 1 if _is_mark(tokens, at) else at
        reasoned = first == at and is_reason(tokens, at)
        turned = first == at and token.form.lower() in _TURNING
        turned = turned and (_is_turn(tokens, at) or _is_gapped(tokens, begin, at, at))
        if (first > at or turned or reasoned) and _is_cut(tokens, begin, at, first):
            yield first
            begin = first + bool(_tells_more(tokens, at))


def _before_question(tokens: Sequence[ParsedToken]) -> Iterator[int]:
    """Where a statement ends that a question follows: "it has moved to Tuesday, would you alter
    that?". A tag makes no question of its own ("it is Tuesday, isn't it?")."""
    opened = next((t for t in tokens if t.tag not in ("PUNCT", "CCONJ", "INTJ", "ADV")), tokens[0])
    if opened.tag == "AUX" or opened.lemma in ASKING or _is_under(tokens):
        return
    for at in range(1, len(tokens) - _LONGEST_TAG):
        asks = tokens[at + 1].tag == "AUX" or tokens[at + 1].lemma in ASKING
        whole = any(_is_finite(tokens, i) for i in range(at))
        if tokens[at].form in (",", ";", "-", "–", "—") and asks and whole:
            yield at + 1
            return


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
    before = tokens[begin:end]
    opened = begin == 0 and mark == "," and _is_opener(before)
    if mark == _TOPIC or opened:
        return end > begin and _is_clause(tokens, first, placed=not opened)
    more = begin and tokens[begin - 1].form.lower() in _TELLING_MORE
    whole = more or any(_is_finite(tokens, i) for i in range(begin, end)) or _is_note(before)
    goes_on = is_reason(tokens, begin) and tokens[first].form.lower() in _TURNING
    under = _is_under(before) and not goes_on
    reported = any(_is_reporting(tokens, i) for i in range(begin, end))
    if not whole or under or (mark not in _STRONG and reported):
        return False
    if mark == "," and (of := _tells_more(tokens, end)):
        return of[0] >= begin
    if mark in _LISTING and _is_gapped(tokens, begin, end, first):
        return True
    if is_reason(tokens, first):
        return _is_clause(tokens, first + 1)
    both = _is_done(tokens, begin) and _is_done(tokens, first)
    first = _over_that(tokens, begin, first)
    led = _is_clause(tokens, first) or _is_that(tokens, _over_joining(tokens, first))
    return both or led or _is_condition(tokens, first) or _is_plea(tokens, first)


def _is_opener(words: Sequence[ParsedToken]) -> bool:
    """Whether words only open what is said: "ok done, …"."""
    return len(words) <= _LONGEST_OPENER and all(t.tag in _OPENERS for t in words)


def is_reason(tokens: Sequence[ParsedToken], at: int) -> bool:
    """Whether a clause begins that says why: "because it is slow", not "because of it"."""
    of = at + 1 < len(tokens) and tokens[at + 1].form.lower() == "of"
    return tokens[at].form.lower() in _GIVING_REASON and not of


def _tells_more(tokens: Sequence[ParsedToken], end: int) -> list[int]:
    """The words of what the clause behind a comma tells more of, where nothing but that clause
    comes behind it: the name of "…, who still drives that Subaru"; empty where it tells of none."""
    first = end + 1
    if first + 1 >= len(tokens) or tokens[first].form.lower() not in _TELLING_MORE:
        return []
    verb = next((i for i in range(first + 1, len(tokens)) if tokens[i].tag != "ADV"), first)
    if tokens[verb].tag not in ("VERB", "AUX"):
        return []
    goes_on = (i + 1 for i in range(verb, len(tokens) - 1) if tokens[i].form == ",")
    if any(tokens[i].tag in ("VERB", "AUX") and _is_finite(tokens, i) for i in goes_on):
        return []  # "my sister, who lives in Rome, is a nurse"
    return _named_until(tokens, end, person=tokens[first].form.lower() == "who")


def _named_until(tokens: Sequence[ParsedToken], end: int, *, person: bool) -> list[int]:
    """The words of a name, or of something that there is one of, that ends before a word."""
    begin = end
    while begin and (tokens[begin - 1].tag == "PROPN" or _is_version(tokens, begin - 1)):
        begin -= 1
    if begin < end:
        placed = begin > 1 and tokens[begin - 1].lemma in _PLACING
        if placed and person:  # "Prosser from Llandovery, who …"
            return _named_until(tokens, begin - 1, person=person)
        fixed = begin > 0 and tokens[begin - 1].form.lower() in _FIXED
        return list(range(begin - fixed, end))
    while begin and tokens[begin - 1].tag in ("NOUN", "ADJ"):
        begin -= 1
    fixed = begin < end and begin > 0 and tokens[begin - 1].form.lower() in _FIXED
    return list(range(begin - 1, end)) if fixed else []


def _is_version(tokens: Sequence[ParsedToken], at: int) -> bool:
    """Whether a number belongs to the name before it: "Redis 7"."""
    return at > 0 and tokens[at].tag == "NUM" and tokens[at - 1].tag == "PROPN"


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


def _is_reporting(tokens: Sequence[ParsedToken], at: int) -> bool:
    """Whether a verb tells what somebody says or thinks, and not what they do: "writing a report"
    does."""
    if tokens[at].tag != "VERB" or tokens[at].lemma not in _REPORTING:
        return False
    if at + 1 < len(tokens) and tokens[at + 1].form.lower() in _ANSWERS:
        return False  # "she said yes"
    done = any(t.head == at and t.label == "obj" and t.tag == "NOUN" for t in tokens[at:])
    return not (done and tokens[at].lemma in _DOING)


def _is_note(words: Sequence[ParsedToken]) -> bool:
    """Whether words without a verb tell a measure of something: "session timeout 30 -> 20"."""
    named = [t.tag in ("NOUN", "PROPN", "ADJ") for t in words]
    count = named.index(False) if False in named else 0
    measured = count < len(words) and words[count].form[:1].isdigit()
    return count >= _NAMED_BY and measured and words[count - 1].tag == "NOUN"


def _is_under(words: Sequence[ParsedToken]) -> bool:
    """Whether a clause hangs on another: "if …", "because …"."""
    opened = [t for t in words if t.tag not in ("PUNCT", "CCONJ", "INTJ")][:1]
    if opened and opened[0].form.lower() == "that":
        return False  # it was cut off as what is told beside something else
    opened = [t for t in opened if t.label != "case"]  # "since noon, …"
    return any(t.tag == "SCONJ" or (t.form.lower() in _UNDER and t.tag != "ADP") for t in opened)


def _is_clause(tokens: Sequence[ParsedToken], first: int, *, placed: bool = False) -> bool:
    """Whether words from `first` on are a subject and its verb; `placed` where a time may lead."""
    at = _over_placed(tokens, _over_joining(tokens, first))
    if at >= len(tokens) or tokens[at].form.lower() in _UNDER - ({"in"} if placed else set()):
        return False
    modifies = tokens[at].tag == "VERB" and tokens[at].label in ("compound", "amod")
    if not placed and tokens[at].tag not in _FIRST and not modifies:
        return False
    named, i, longest = False, at, at + _LONGEST_SUBJECT
    led = tokens[at].form.lower() in _SUBJECTS
    while i < min(longest, len(tokens)):
        misread = named and tokens[i].label == "acl:relcl" and tokens[i].tag == "VERB"
        misread = misread and tokens[i].form.lower() != tokens[i].lemma
        if _is_finite(tokens, i) or misread or (led and tokens[i].label == "acl:relcl"):
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


def _is_that(tokens: Sequence[ParsedToken], at: int) -> bool:
    """Whether "that" stands for what was told, right before its verb: "so that makes four"."""
    said = 0 < at < len(tokens) - 1 and tokens[at].form.lower() == "that"
    return said and tokens[at - 1].form.lower() in _TURNING and _is_finite(tokens, at + 1)


def _over_placed(tokens: Sequence[ParsedToken], at: int) -> int:
    """Behind a phrase that leads a clause: "so for the time being I live in Lund"."""
    if at >= len(tokens) or tokens[at].tag != "ADP":
        return at
    for i in range(at + 2, min(at + _LONGEST_PLACED, len(tokens))):
        if tokens[i].form.lower() in _SUBJECTS and tokens[i].tag == "PRON":
            return i
        if tokens[i].tag in ("VERB", "PUNCT", "SCONJ") or tokens[i].form.lower() in _RELATIVE:
            return at
    return at


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


def _is_plea(tokens: Sequence[ParsedToken], first: int) -> bool:
    """Whether something is asked for behind what is told: "it moved to 9443, please change it"."""
    pleads = first + 1 < len(tokens) and tokens[first].form.lower() in ("please", "pls")
    return pleads and tokens[first + 1].form.lower() == tokens[first + 1].lemma


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
