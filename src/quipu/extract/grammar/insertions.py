"""What is told of somebody or something between commas: "Nadia, our landlady, lives upstairs".

The comma stands for "is": "Nadia is our landlady", and "Nadia lives upstairs".
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from quipu.extract.grammar.people import HUMAN
from quipu.extract.grammar.words import ParsedToken
from quipu.when.dates import MONTH_NAMES

__all__ = ["Insertion", "insertions"]

_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_ARTICLES = frozenset({"a", "an"})
_FIXED = frozenset("the my our his her their".split())
_OWN = frozenset("my our his her their".split())
_OF_PHRASE = frozenset({"DET", "ADJ", "NOUN", "PROPN", "ADP", "NUM", "PART", "ADV", "PRON"})
_ENDS = frozenset({",", ".", "!", ";", ")"})
_LISTING = frozenset({"and", "or", "&"})
_RELATIVE = frozenset({"who", "which", "whose"})
_HAVING = frozenset({"have", "get"})
_ME = frozenset({"'m", "’m", "am"})
_QUOTES = frozenset({'"', "“", "”", "``", "''"})
_LONGEST, _LONGEST_NAME = 9, 4


class Insertion(NamedTuple):
    """What is told of the words `of` behind the comma at `mark`: that they are `told`. The words
    `dropped` stand in the sentence for that alone."""

    of: list[int]
    mark: int
    told: list[int]
    dropped: list[int]


def insertions(tokens: Sequence[ParsedToken]) -> list[Insertion]:
    """Those of a sentence, in order."""
    if any(token.form in _QUOTES or token.form.startswith("?") for token in tokens):
        return []
    found: list[Insertion] = []
    last = 0
    for mark, token in enumerate(tokens):
        if token.form != "," or mark <= last:
            continue
        each = _described(tokens, mark) or _named(tokens, mark)
        found += each
        last = max((at for one in each for at in one.dropped), default=last)
    return found


def _described(tokens: Sequence[ParsedToken], mark: int) -> list[Insertion]:
    """As in "Tideline, a wind farm operator" and, behind it, ", built in 1842"."""
    name = _name_before(tokens, mark) or _post_before(tokens, mark, _OWN)
    end = _end_of(tokens, mark + 1)
    if not name or end < 0 or not _is_phrase(tokens, mark + 1, end):
        return []
    if name[0] == 0 and not any(token.tag in ("VERB", "AUX") for token in tokens[end:]):
        return []  # "Otto, a quick question"
    found = [Insertion(name, mark, [*range(mark + 1, end)], [*range(mark, end)])]
    behind = _end_of(tokens, end + 1) if end < len(tokens) and tokens[end].form == "," else -1
    if behind > 0 and _is_done(tokens, end + 1, behind):
        found.append(Insertion(name, end, [*range(end + 1, behind)], [*range(end, behind)]))
        end = behind
    found[-1] = found[-1]._replace(dropped=[*found[-1].dropped, *_closing(tokens, end)])
    return found


def _named(tokens: Sequence[ParsedToken], mark: int) -> list[Insertion]:
    """As in "my landlord, Mr De Graaf,": who somebody is."""
    end = _end_of(tokens, mark + 1)
    if not 0 < end - mark - 1 <= _LONGEST_NAME:
        return []
    if any(tokens[i].tag != "PROPN" for i in range(mark + 1, end)) or _is_time(tokens[end - 1]):
        return []
    post = _post_before(tokens, mark, _ARTICLES | _FIXED)
    if not post:
        return []
    name, dropped = [*range(mark + 1, end)], [*post, mark, *_closing(tokens, end)]
    if tokens[post[0]].form.lower() in _ARTICLES:
        if post[0] and tokens[post[0] - 1].lemma in _HAVING:
            return []  # "we have a new landlord, Mrs Lind": ours is she
        return [Insertion(name, mark, post, dropped)]
    return [Insertion(post, mark, name, dropped)]


def _closing(tokens: Sequence[ParsedToken], end: int) -> list[int]:
    """The comma behind an insertion, but for one before "who"."""
    after = tokens[end + 1].form.lower() if end + 1 < len(tokens) else ""
    closed = end < len(tokens) and tokens[end].form == ","
    return [end] if closed and after not in _RELATIVE else []


def _name_before(tokens: Sequence[ParsedToken], mark: int) -> list[int]:
    """The words of a name right before a comma, where it is none of several."""
    begin = mark
    while begin and tokens[begin - 1].tag == "PROPN":
        begin -= 1
    if begin == mark or mark - begin > _LONGEST_NAME or _is_time(tokens[mark - 1]):
        return []
    before = tokens[begin - 1] if begin else None
    if before and (before.form == "," or before.form.lower() in _LISTING | _ME):
        return []
    article = before is not None and before.tag == "DET"
    return [*range(begin - article, mark)]


def _post_before(tokens: Sequence[ParsedToken], mark: int, leading: Collection[str]) -> list[int]:
    """The words of a noun for somebody right before a comma: "my landlord", "a second physio"."""
    begin = mark - 1
    if begin < 1 or tokens[begin].tag != "NOUN" or tokens[begin].lemma not in HUMAN:
        return []
    while begin and tokens[begin - 1].tag in ("ADJ", "NOUN"):
        begin -= 1
    led = tokens[begin - 1].form.lower() if begin else ""
    if led not in leading:
        return []
    before = tokens[begin - 2].form.lower() if begin > 1 else ""
    return [] if before == "," or before in _LISTING else [*range(begin - 1, mark)]


def _end_of(tokens: Sequence[ParsedToken], begin: int) -> int:
    """Where an insertion ends; -1 where it is one of several things, or goes on too long."""
    for at in range(begin, min(begin + _LONGEST, len(tokens)) + 1):
        if at == len(tokens):
            return at
        if tokens[at].form.lower() in _LISTING:
            return -1
        if tokens[at].form in _ENDS:
            after = tokens[at + 1] if at + 1 < len(tokens) else None
            several = tokens[at].form == "," and after and after.form.lower() in _LISTING
            subject = at + 2 < len(tokens) and tokens[at + 2].label.startswith("nsubj")
            return -1 if several and not subject else at
    return -1


def _is_phrase(tokens: Sequence[ParsedToken], begin: int, end: int) -> bool:
    """Whether words are nothing but something that somebody may be: "our new landlady"."""
    first = tokens[begin].form.lower() if begin < end else ""
    plain = all(t.tag in _OF_PHRASE and t.label != "expl" for t in tokens[begin:end])
    noun = next((t for t in tokens[begin + 1 : end] if t.tag not in ("ADJ", "ADV", "NUM")), None)
    whole = noun is not None and noun.tag in ("NOUN", "PROPN") and end - begin > 1
    owned = first in _OWN and tokens[begin].tag == "PRON"
    pronouns = sum(t.tag == "PRON" for t in tokens[begin:end])
    return plain and whole and pronouns == owned and (owned or first in _ARTICLES | {"the"})


def _is_done(tokens: Sequence[ParsedToken], begin: int, end: int) -> bool:
    """Whether words tell what was done to something: "built in 1842"."""
    done = begin + 1 < end and tokens[begin].tag == "VERB" and tokens[begin + 1].tag == "ADP"
    form = tokens[begin].form.lower() if done else ""
    passive = done and form != tokens[begin].lemma and not form.endswith(("ing", "s"))
    return passive and all(t.tag in _OF_PHRASE for t in tokens[begin + 1 : end])


def _is_time(token: ParsedToken) -> bool:
    return token.form.lower() in _WEEKDAYS | MONTH_NAMES
