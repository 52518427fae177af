"""Faults of a parse that its own words give away, mended."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from quipu.extract.grammar.people import TITLES
from quipu.extract.grammar.words import ParsedToken
from quipu.when.dates import MONTH_NAMES

__all__ = ["is_tree", "mended"]

_OPENING = frozenset(".:;!?\"“”'‘(-–—")
_NAMING = frozenset({"NOUN", "PROPN", "X"})
_NUMERIC = frozenset({"NUM", "SYM"})
_WITHIN = frozenset({"flat", "compound", "nummod", "nmod", "nmod:unmarked", "obl:unmarked"})
_QUOTES = frozenset({'"', "“", "”", "``", "''"})
_LONGEST_TITLE = 8
_THROWN_IN = frozenset("btw lol tbh imo pls plz please though tho anyway haha honestly lah".split())
_THROWN_IN_PHRASES = tuple(
    tuple(each.split())
    for each in (
        "by the way",
        "for the record",
        "just in case",
        "in any case",
        "of course",
        "after all",
        "as far as i know",
        "if i remember right",
        "for what it 's worth",
    )
)
_UNITS = frozenset(
    "h hr hrs hour hours m min mins minute minutes s sec secs second seconds day days week weeks "
    "month months year years kg kilo kilos g lb lbs oz ft feet foot inch inches cm mm pound pounds "
    "pence euro euros cent cents".split()
)
_PRESENTLY = frozenset("now currently still already just today again".split())
_RELATIVE = frozenset({"who", "which"})
_NO_RELATIVE = frozenset("conj advcl parataxis ccomp appos dep xcomp advmod case".split())
_LOOSE = frozenset("appos nmod dislocated nmod:unmarked obl:unmarked dep vocative".split())
_YEAR = 4
_TOPS = frozenset({"root", "conj", "parataxis", "ccomp"})
_OF_PHRASE = frozenset({"det", "compound", "amod", "nummod", "nmod:poss", "case", "flat"})
_TITLES = TITLES - {"miss", "fr", "sir"}  # which are words as well
_BEHIND_IS = frozenset({"me", "mine", "been"})
_OF_CLAUSE = frozenset("punct parataxis advmod discourse advcl obl obl:unmarked".split())
_OWN_CLAUSE = frozenset("acl acl:relcl advcl ccomp conj xcomp parataxis csubj cop aux".split())


def mended(tokens: Sequence[ParsedToken]) -> list[ParsedToken]:
    """The tokens of one sentence with what is told from their words put right. What is mended is
    a tree as what was given: a mend that would break it is left out."""
    found = list(tokens)
    for mend in _MENDS:
        tried = list(found)
        mend(tried)
        if tried != found and is_tree(tried):
            found = tried
    return found


def is_tree(tokens: Sequence[ParsedToken]) -> bool:
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


def _genitives(tokens: list[ParsedToken]) -> None:
    """There is no genitive in "the rent's 950", "Ann's from Bergen" and "it's called Rex"."""
    for at, token in enumerate(tokens):
        if token.form not in ("'s", "’s") or not 0 < at < len(tokens) - 1:
            continue
        owner = tokens[at - 1]
        if token.tag == "AUX" and token.label.startswith("nsubj"):  # "standup's been moved"
            tokens[at] = replace(token, label="aux")
        elif token.label == "case" and owner.label.startswith("nsubj") and owner.head > at:
            if not _has_copula(tokens, owner.head):
                _join_by_is(tokens, at, owner.head, owner.label)
        elif token.label == "case" and token.head == at - 1 and tokens[at + 1].tag == "ADP":
            said = next(
                (
                    i
                    for i in range(at + 1, len(tokens))
                    if tokens[i].head == at - 1 and tokens[i].tag in _NAMING | _NUMERIC
                ),
                -1,
            )
            if said > at and owner.label in ("root", "conj", "parataxis", "ccomp"):
                tokens[said] = replace(tokens[said], head=owner.head, label=owner.label)
                tokens[at - 1] = replace(owner, head=said, label="nsubj")
                _join_by_is(tokens, at, said, "nsubj")


def _no_genitives(tokens: list[ParsedToken]) -> None:
    """Behind no genitive stands an article, a date, an amount, a number or a preposition: "ship
    date's 12 June", "the rent's at 950", "his number's 0733"."""
    for at, token in enumerate(tokens):
        genitive = token.form in ("'s", "’s") and token.tag == "PART" and token.label == "case"
        if not genitive or not 0 < at < len(tokens) - 1 or tokens[at - 1].tag not in _NAMING:
            continue
        after = tokens[at + 1]
        behind = tokens[at + 2] if at + 2 < len(tokens) else after
        joined = after.tag in ("DET", "ADP", "SYM") or after.form.lower() in _BEHIND_IS
        joined = joined or after.form.lower().rstrip(".") in _TITLES  # "my dentist's Dr Patel"
        counting = behind.tag in _NAMING | {"ADJ"} and behind.form.lower() not in MONTH_NAMES
        if joined or (after.tag == "NUM" and not counting):
            tokens[at] = replace(token, tag="AUX", lemma="be", label="cop")


def _between(tokens: list[ParsedToken]) -> None:
    """What stands before "is" and hangs on nothing else is what is told of, and the phrase right
    behind it is what is said: "the winner's the red one", "the contact there is Ann"."""
    for at, token in enumerate(tokens):
        if token.lemma != "be" or not 0 < at < len(tokens) - 1:
            continue
        if token.label == "cop" and token.head < at:
            _say(tokens, at, token.head)
        elif token.label == "cop" and tokens[at - 1].head == at:
            if tokens[at - 1].tag in _NAMING:  # "the flat's in Lund"
                tokens[at - 1] = replace(tokens[at - 1], head=token.head, label="nsubj")
        elif token.head < 0:
            before = [i for i in range(at) if tokens[i].head == at and tokens[i].tag in _NAMING]
            if len(before) == 1 and tokens[before[0]].label.startswith("nsubj"):
                _say(tokens, at, before[0])


def _say(tokens: list[ParsedToken], be: int, subject: int) -> None:
    """Make the phrase behind "is" what is said of a subject."""
    said = _phrase_behind(tokens, be)
    if said < 0 or tokens[subject].tag not in _NAMING:
        return
    top = be if tokens[be].head < 0 else subject
    if top == subject and tokens[subject].label not in _TOPS and tokens[subject].head != said:
        return
    above = tokens[top] if tokens[top].head != said else tokens[said]
    head, label = above.head, above.label
    for i, other in enumerate(tokens):
        behind = other.head in (be, subject) and i > be and i != said
        if behind or (other.head == be and i < be):
            tokens[i] = replace(other, head=said)
    tokens[said] = replace(tokens[said], head=head, label=label)
    tokens[subject] = replace(tokens[subject], head=said, label="nsubj")
    tokens[be] = replace(tokens[be], tag="AUX", head=said, label="cop")


def _phrase_behind(tokens: list[ParsedToken], be: int) -> int:
    """The main word of the phrase that begins right behind "is"; -1 where none does."""
    first = be + 1
    while first < len(tokens) and tokens[first].tag in ("ADV", "ADP"):
        first += 1
    if first >= len(tokens) or tokens[first].tag not in _NAMING | _NUMERIC | {"DET", "PRON", "ADJ"}:
        return -1
    at = first
    while be < tokens[at].head and at < tokens[at].head and tokens[at].label in _OF_PHRASE:
        at = tokens[at].head
    while tokens[at].head == at + 1 and {tokens[at].tag, tokens[at + 1].tag} == {"PROPN"}:
        at += 1  # "is Dr Tan"
    return at if tokens[at].tag in _NAMING | _NUMERIC else -1


def _having(tokens: list[ParsedToken]) -> None:
    """In "we've 212 ewes" the verb is to have."""
    for at, token in enumerate(tokens):
        if token.form.lower() not in ("'ve", "’ve"):
            continue
        if token.tag == "VERB":
            tokens[at] = replace(token, lemma="have")
        elif token.label in ("cop", "aux") and token.head > at:
            _have(tokens, at, token.head)


def _have(tokens: list[ParsedToken], have: int, said: int) -> None:
    """Make the verb at `have` govern what the clause says is had."""
    if tokens[said].tag == "NUM" and tokens[said].head == said + 1:
        tokens[said] = replace(tokens[said], label="nummod")
        said += 1
    above = tokens[said]
    behind = have + 1 < said or tokens[have + 1].tag in _NAMING | _NUMERIC
    if above.tag not in _NAMING or not behind:
        return
    for i, other in enumerate(tokens):
        own = i < have or other.label in _OF_CLAUSE
        if i != have and own and other.head in (said, tokens[have].head) and i != said:
            tokens[i] = replace(other, head=have)
    tokens[have] = replace(
        tokens[have], tag="VERB", lemma="have", head=above.head, label=above.label
    )
    tokens[said] = replace(above, head=have, label="obj")


def _copular(tokens: list[ParsedToken]) -> None:
    """What is a copula or auxiliary of its clause is one, whatever it is taken for."""
    for at, token in enumerate(tokens):
        short = token.form in ("'s", "’s") and token.tag == "PART"
        if short and token.label in ("cop", "aux", "aux:pass"):
            tokens[at] = replace(token, tag="AUX", lemma="be")


def _has_copula(tokens: list[ParsedToken], at: int) -> bool:
    return any(t.head == at and t.label in ("cop", "aux:pass") for t in tokens)


def _join_by_is(tokens: list[ParsedToken], at: int, said: int, label: str) -> None:
    """Make a "'s" join what is before it with what is said of it."""
    joins = "aux:pass" if label == "nsubj:pass" else "cop"
    tokens[at] = replace(tokens[at], tag="AUX", lemma="be", label=joins, head=said)


def _asides(tokens: list[ParsedToken]) -> None:
    """What is only thrown in belongs to no phrase: "30 seconds btw"."""
    for at, token in enumerate(tokens):
        alone = token.head >= 0 and not any(t.head == at for t in tokens)
        if alone and token.form.lower() in _THROWN_IN:
            tokens[at] = replace(token, label="discourse")
    lows = [token.form.lower().replace("’", "'") for token in tokens]
    for words in _THROWN_IN_PHRASES:
        for at in range(len(lows) - len(words) + 1):
            if lows[at] == words[0] and tuple(lows[at : at + len(words)]) == words:
                _throw_in(tokens, range(at, at + len(words)))


def _throw_in(tokens: list[ParsedToken], own: range) -> None:
    """Make a phrase belong to no other, and what hung on its words hang on what it hung on."""
    top = next((i for i in own if tokens[i].head not in own), own[0])
    above = tokens[top].head
    if above < 0:
        return
    for i, token in enumerate(tokens):
        if i in own and token.head not in own and i != top:
            tokens[i] = replace(token, head=top)
        elif i not in own and token.head in own:
            tokens[i] = replace(token, head=above)
    tokens[top] = replace(tokens[top], label="discourse")


def _titles(tokens: list[ParsedToken]) -> None:
    """What stands in quotation marks and begins with a capital is one name: a title."""
    opened = -1
    for at, token in enumerate(tokens):
        if token.form not in _QUOTES:
            continue
        if opened < 0:
            opened = at
            continue
        inside = range(opened + 1, at)
        opened = -1
        short = 0 < len(inside) <= _LONGEST_TITLE
        if short and tokens[inside[0]].form[:1].isupper() and inside[0] > 1:
            _unite(tokens, inside)


def _unite(tokens: list[ParsedToken], inside: range) -> None:
    before = inside[0] - 2  # over the quotation mark
    first = inside[0]
    tops = [i for i in inside if tokens[i].head not in inside]
    if any(tokens[i].head < 0 for i in tops) or not tops:
        return
    verb = next((i for i in range(before, -1, -1) if tokens[i].tag == "VERB"), -1)
    joined = tokens[before].tag == "ADP" and verb >= 0 and verb not in inside
    top = tokens[tops[0]]
    named = tokens[before].tag in ("VERB", "ADP")
    head, label = (verb, "obl") if joined else (top.head, top.label)
    if named and not joined:
        head, label = before, "obj"
    for i, token in enumerate(tokens):
        if i not in inside and token.head in inside:
            tokens[i] = replace(token, head=first)
    for i in inside:
        tokens[i] = replace(tokens[i], tag="PROPN", head=first, label="flat")
    tokens[first] = replace(tokens[first], head=head, label=label)
    if joined:
        tokens[before] = replace(tokens[before], head=first, label="case")


def _dropped(tokens: list[ParsedToken]) -> None:
    """The subject of "Upgraded routebook to Postgres 16" is left out, and it has a verb."""
    first = tokens[0]
    if first.label != "amod" or first.tag != "VERB" or not first.form.lower().endswith("ed"):
        return
    top = first.head
    if tokens[top].label != "root" or top + 1 >= len(tokens) or tokens[top + 1].tag != "ADP":
        return
    tokens[0] = replace(first, head=-1, label="root")
    for i, token in enumerate(tokens):
        if i and token.head == top and i > top:
            label = "obl" if token.label == "nmod" else token.label
            tokens[i] = replace(token, head=0, label=label)
    tokens[top] = replace(tokens[top], head=0, label="obj")


def _names(tokens: list[ParsedToken]) -> None:
    """What has a capital inside a sentence and modifies nothing is a name."""
    for at, token in enumerate(tokens):
        inside = at > 0 and tokens[at - 1].form not in _OPENING
        named = token.tag in ("ADJ", "NOUN") and token.label not in ("amod", "compound")
        if inside and token.form[:1].isupper() and named and not token.form.isupper():
            tokens[at] = replace(token, tag="PROPN", lemma=token.form.lower())


def _addressed(tokens: list[ParsedToken]) -> None:
    """A title belongs to the name behind it: "Fr Lacey"."""
    for at in range(len(tokens) - 1):
        title, name = tokens[at], tokens[at + 1]
        titled = title.form.rstrip(".").lower() in TITLES and title.form[:1].isupper()
        if not titled or name.tag != "PROPN" or title.head == at + 1:
            continue
        top = name if name.head != at else replace(name, head=title.head, label=title.label)
        tokens[at] = replace(title, head=at + 1, label="nmod")
        tokens[at + 1] = top
        for i, token in enumerate(tokens):
            if token.head == at and i != at + 1:
                tokens[i] = replace(token, head=at + 1)


def _firms(tokens: list[ParsedToken]) -> None:
    """Names with "&" between them are one: "Holm & Partners"."""
    for at in range(1, len(tokens) - 1):
        before, after = tokens[at - 1], tokens[at + 1]
        named = before.form[:1].isupper() and after.form[:1].isupper()
        if tokens[at].form == "&" and named and after.label == "conj":
            tokens[at] = replace(tokens[at], label="flat", head=after.head)
            tokens[at + 1] = replace(after, label="flat")


def _numbers(tokens: list[ParsedToken]) -> None:
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


def _join(tokens: list[ParsedToken], first: int, last: int) -> None:
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


def _dates(tokens: list[ParsedToken]) -> None:
    """What hangs on either word of "12 June" hangs on the upper one: it is one phrase."""
    for at in range(1, len(tokens)):
        day, month = tokens[at - 1], tokens[at]
        if day.form.lower() in MONTH_NAMES:
            day, month = month, day
        if day.tag != "NUM" or month.form.lower() not in MONTH_NAMES:
            continue
        upper, lower = (at - 1, at) if tokens[at].head == at - 1 else (at, at - 1)
        if tokens[lower].head != upper:
            continue
        for i, token in enumerate(tokens):
            if token.head == lower:
                tokens[i] = replace(token, head=upper)


def _versions(tokens: list[ParsedToken]) -> None:
    """A number right behind a name belongs to it: "runs Ubuntu 22.04", "a Pixel 7"."""
    for at in range(1, len(tokens)):
        name, number = tokens[at - 1], tokens[at]
        named = name.tag in ("PROPN", "X") or (name.tag == "NOUN" and name.form[:1].isupper())
        if _is_numbered(tokens, at):
            _hang(tokens, at, at - 1)
        if number.tag != "NUM" or not named:
            continue
        if name.head == at:
            tokens[at - 1] = replace(name, tag="PROPN", head=number.head, label=number.label)
            _hang(tokens, at, at - 1)
        elif number.label in ("obl", "nmod", "dep", "flat") and number.head not in (at - 1, -1):
            under = [i for i, t in enumerate(tokens) if t.head == at and t.tag != "PUNCT"]
            if all(i < at and tokens[i].label == "case" for i in under):  # "on MySQL 5.7"
                for i in under:
                    tokens[i] = replace(tokens[i], head=at - 1)
                _hang(tokens, at, at - 1)


def _measures(tokens: list[ParsedToken]) -> None:
    """One measure in two units is one phrase: "4 min 5 s"."""
    for at in range(len(tokens) - 3):
        one, unit, other, lower = tokens[at : at + 4]
        counted = one.tag == other.tag == "NUM" and unit.head != at + 3
        if not counted or not {unit.form.lower(), lower.form.lower()} <= _UNITS:
            continue
        for i, token in enumerate(tokens):
            if token.head == at + 3 and i != at + 2:
                tokens[i] = replace(token, head=at + 1)
        tokens[at + 2] = replace(other, head=at + 3, label="nummod")
        tokens[at + 3] = replace(lower, head=at + 1, label="flat")


def _presently(tokens: list[ParsedToken]) -> None:
    """The "now" of "is now 8 threads" tells of the clause, not of the number."""
    for at, token in enumerate(tokens):
        counts = token.head >= 0 and tokens[token.head].label in ("nummod", "compound")
        if token.label == "advmod" and token.lemma in _PRESENTLY and counts and at < token.head:
            tokens[at] = replace(token, head=tokens[token.head].head)


def _plurals(tokens: list[ParsedToken]) -> None:
    """Several things are no verb: "deploys move to Thursdays", "takings 1580"."""
    for at, token in enumerate(tokens):
        low = token.form.lower()
        if token.tag != "VERB" or not low.endswith("s") or low.endswith("ss"):
            continue
        governs = any(t.head == at and t.label.startswith(("nsubj", "obj")) for t in tokens)
        subject = token.label in ("nsubj", "nsubj:pass") and token.head > at and not governs
        stem = low.removesuffix("ings")
        several = stem != low and any(c in "aeiouy" for c in stem)
        if subject or several:
            tokens[at] = replace(token, tag="NOUN", lemma=low[:-1])


def _joined_verbs(tokens: list[ParsedToken]) -> None:
    """What goes on behind "and" with an amount is a verb as the one before: "takes 4 s and peaks
    at 410 MB"."""
    for at in range(2, len(tokens) - 2):
        token, above = tokens[at], tokens[tokens[at].head]
        plural = token.tag == "NOUN" and token.form.lower() == f"{token.lemma}s"
        after = plural and tokens[at - 1].tag == "CCONJ" and tokens[at + 1].tag == "ADP"
        if not after or tokens[at + 2].tag not in _NUMERIC:
            continue
        verb = at - 1 if above.tag != "VERB" else token.head
        while verb >= 0 and tokens[verb].tag != "VERB":
            verb -= 1
        if verb < 0 or verb == at or not tokens[verb].form.lower().endswith("s"):
            continue
        tokens[at] = replace(token, tag="VERB", head=verb, label="conj")
        for i, other in enumerate(tokens):
            amount = i > at + 1 and other.head in (at, verb)
            if amount and other.label in ("nmod", "obj", "obl"):
                tokens[i] = replace(other, head=at, label="obl")


def _two_subjects(tokens: list[ParsedToken]) -> None:
    """Of "memory on the file fell" the file is where the memory is, and no subject; of "Rosa and I
    broke up" both are one."""
    for at, token in enumerate(tokens):
        if token.label != "nsubj" or token.head < at:
            continue
        first = tokens[at - 2] if at > 1 and tokens[at - 1].tag == "CCONJ" else None
        if first and (first.label, first.head) == ("nsubj", token.head):
            tokens[at] = replace(token, head=at - 2, label="conj")
            tokens[at - 1] = replace(tokens[at - 1], head=at, label="cc")
            continue
        cased = any(t.head == at and t.label == "case" and t.tag == "ADP" for t in tokens[:at])
        cased = cased or (token.lemma == "door" and tokens[at - 1].lemma == "next")
        before = [
            i
            for i in range(at)
            if tokens[i].head == token.head
            and tokens[i].label == "nsubj"
            and tokens[i].tag in _NAMING
        ]
        if cased and before:
            tokens[at] = replace(token, head=before[-1], label="nmod")


def _relatives(tokens: list[ParsedToken]) -> None:
    """What "who" is behind a comma tells of whom that stands behind: "Bo, who's in on Mondays"."""
    for at in range(2, len(tokens) - 1):
        who, before = tokens[at], tokens[at - 2]
        verb = who.head
        led = who.lemma in _RELATIVE and who.label == "nsubj" and tokens[at - 1].form == ","
        apart = who.lemma == "who" and before.tag == "PROPN" and tokens[verb].head < at - 2
        stray = tokens[verb].label in _NO_RELATIVE or (apart and tokens[verb].label == "acl:relcl")
        if not led or verb < at or not stray or before.head == tokens[verb].head == -1:
            continue
        name = at - 2
        while tokens[name].label == "flat" and tokens[name].head >= 0:
            name = tokens[name].head
        if tokens[verb].head == name and tokens[verb].label == "acl:relcl":
            continue
        if tokens[name].label == "nmod":
            continue  # "Mr Prosser from Lund, who …"
        inserted = tokens[name].label.startswith("nsubj") and tokens[name].head >= verb
        named = before.tag == "PROPN" or inserted
        if before.tag in _NAMING and (inserted if who.lemma == "which" else named):
            below = tokens[verb].head
            if tokens[verb].label == "case" and below > verb:  # "who's in on Mondays"
                tokens[below] = replace(tokens[below], head=verb, label="obl")
            if tokens[name].head == verb:
                tokens[name] = replace(tokens[name], head=tokens[verb].head)
            tokens[verb] = replace(tokens[verb], head=name, label="acl:relcl")
            _take_back(tokens, verb, at)


def _people(tokens: list[ParsedToken]) -> None:
    """Who is told of behind "Mr Prosser from Lund, who …" is he, and not where he is from."""
    for at, token in enumerate(tokens):
        place = token.head
        if token.label != "acl:relcl" or place < 0 or tokens[place].tag != "PROPN":
            continue
        who = any(t.head == at and t.lemma == "who" for t in tokens)
        person = tokens[place].head
        if who and tokens[place].label == "nmod" and tokens[person].tag in ("PROPN", "NOUN"):
            tokens[at] = replace(token, head=person)


def _bare_subjects(tokens: list[ParsedToken]) -> None:
    """What stands right before a verb that has no subject, and has no preposition, is that: "so
    orders API moved to 9443"."""
    for at in range(len(tokens) - 1):
        token, verb = tokens[at], tokens[at + 1]
        loose = token.label in ("obl", "obl:unmarked", "nmod", "dep") and token.head == at + 1
        if not loose or token.tag not in ("NOUN", "PROPN") or verb.tag != "VERB":
            continue
        under = [t for t in tokens if t.head == at + 1]
        cased = any(t.head == at and t.label == "case" for t in tokens)
        if not cased and not any(t.label.startswith(("nsubj", "aux")) for t in under):
            tokens[at] = replace(token, label="nsubj")


def _own_subjects(tokens: list[ParsedToken]) -> None:
    """What has a subject of its own is a clause, and no part of one."""
    for at, token in enumerate(tokens):
        led = at > 0 and tokens[at - 1].lemma == "to"
        own = any(t.head == at and t.label == "nsubj" for t in tokens[:at])
        if token.label == "xcomp" and token.tag == "VERB" and own and not led:
            tokens[at] = replace(token, label="parataxis")


def _take_back(tokens: list[ParsedToken], verb: int, first: int) -> None:
    """What is no part of a clause that begins at `first`, hangs on what that hangs on."""
    above = tokens[verb].head
    for i in range(first):
        if tokens[i].head == verb and i != above:
            tokens[i] = replace(tokens[i], head=above)


def _is_numbered(tokens: list[ParsedToken], at: int) -> bool:
    """Whether a number right behind a noun tells which: "door 9", "on port 8443"."""
    noun, number = tokens[at - 1], tokens[at]
    plain = number.form.isdigit() and not _is_year(number.form)
    capital = noun.form.islower() or at == 1  # "Shelf 5 holds fifteen bowls"
    common = noun.tag == "NOUN" or (noun.tag == "PROPN" and capital)
    unattached = common and number.tag == "NUM" and plain and number.head != at - 1
    under = [t for t in tokens if t.head == at - 1]
    free = number.label in ("obl", "dep", "nmod", "nsubj", "nsubj:pass", "list")
    alone_or_led = all(t.tag == "ADP" for t in under) and noun.form.lower() == noun.lemma
    led = alone_or_led and (bool(under) or noun.label == "obj")
    free = unattached and (free or (led and number.label in ("obj", "appos")))
    alone = not any(t.head == at and t.tag != "PUNCT" for t in tokens)
    return free and alone and not any(t.label == "nummod" for t in under)


def _is_year(form: str) -> bool:
    return len(form) == _YEAR and form[:2] in ("19", "20")


def _hang(tokens: list[ParsedToken], number: int, name: int) -> None:
    """Make a number, and all that hung on it, hang on a name."""
    for i, token in enumerate(tokens):
        if token.head == number and i != name:
            tokens[i] = replace(token, head=name)
    tokens[number] = replace(tokens[number], head=name, label="flat")


def _got(tokens: list[ParsedToken]) -> None:
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


def _inner_copulas(tokens: list[ParsedToken]) -> None:
    """Whatever word of a phrase "is" was hung on, it belongs to the main one: "a Pixel 7"."""
    for at, token in enumerate(tokens):
        if token.label != "cop" or token.head < 0:
            continue
        top = token.head
        while at < tokens[top].head < top and tokens[top].label in _WITHIN:
            top = tokens[top].head
        while tokens[top].head == top + 1 and {tokens[top].tag, tokens[top + 1].tag} == {"PROPN"}:
            top += 1  # "is Dr Tan"
        said = tokens[top].head
        if top < at < said and tokens[top].label == "nsubj" and not _has_copula(tokens, said):
            top = said  # "the fair's on 19 June", where "is" was hung on the fair
        for i, other in enumerate(tokens[:at]):
            if other.head == token.head != top and other.label == "nsubj":
                tokens[i] = replace(other, head=top)
        tokens[at] = replace(token, head=top)


def _objects(tokens: list[ParsedToken]) -> None:
    """A noun right behind a verb is done to, no adverb of it: "moved backend to X"."""
    for at in range(1, len(tokens)):
        token, verb = tokens[at], tokens[at - 1]
        astray = token.tag == "NOUN" and token.label == "advmod" and token.head == at - 1
        has_object = any(t.head == at - 1 and t.label == "obj" for t in tokens)
        if astray and verb.tag == "VERB" and not has_object:
            tokens[at] = replace(token, label="obj")


def _subjects(tokens: list[ParsedToken]) -> None:
    """Of "X is Y" something is said: what stands before "is" is the subject, whatever it is taken
    for."""
    for at, token in enumerate(tokens):
        if token.label != "cop" or not 0 < at < token.head:
            continue
        top = token.head
        under = [i for i, t in enumerate(tokens) if t.head == top and i < at]
        if any(tokens[i].label.startswith(("nsubj", "csubj", "expl")) for i in under):
            continue
        said = [i for i in under if tokens[i].tag in _NAMING and tokens[i].label in _LOOSE]
        if said and all(tokens[i].form not in ",;:" for i in range(said[-1], at)):
            tokens[said[-1]] = replace(tokens[said[-1]], label="nsubj")
        elif not said and tokens[at - 1].tag in _NAMING and tokens[at - 1].label == "conj":
            tokens[at - 1] = replace(tokens[at - 1], head=top, label="nsubj")


def _done_to(tokens: list[ParsedToken]) -> None:
    """What stands before a verb that leads its sentence has it done to it: "limit capped at 5"."""
    root = next(i for i, t in enumerate(tokens) if t.head < 0)
    under = [i for i, t in enumerate(tokens) if t.head == root]
    passive = any(tokens[i].label == "aux:pass" for i in under)
    done = tokens[root].tag == "VERB" and (passive or tokens[root].form.lower().endswith("ed"))
    if not done or any(tokens[i].label.startswith(("nsubj", "csubj")) for i in under):
        return
    said = [i for i in under if i < root and tokens[i].tag in _NAMING]
    if said and not any(
        t.head == said[-1] and t.label == "case" and t.tag == "ADP" for t in tokens
    ):
        label = "nsubj:pass" if passive else "nsubj"
        tokens[said[-1]] = replace(tokens[said[-1]], label=label)


def _headlines(tokens: list[ParsedToken]) -> None:
    """In "limit capped at 5" the verb tells what was done, though "was" is left out."""
    root = next(i for i, t in enumerate(tokens) if t.head < 0)
    under = [i for i, t in enumerate(tokens) if t.head == root]
    done = next((i for i in under if tokens[i].label == "acl" and tokens[i].tag == "VERB"), -1)
    bare = not any(tokens[i].label in ("det", "cop", "nmod:poss") for i in under)
    led = any(t.head == done and t.label == "obl" for t in tokens)
    if tokens[root].tag not in _NAMING or done < root or not (bare and led):
        return
    if not tokens[done].form.lower().endswith("ed"):
        return
    for i in under:
        if i > done:
            tokens[i] = replace(tokens[i], head=done)
    tokens[done] = replace(tokens[done], head=-1, label="root")
    tokens[root] = replace(tokens[root], head=done, label="nsubj:pass")


def _verbs(tokens: list[ParsedToken]) -> None:
    """What has a subject and no "is" is a verb: "snacks budget cut to 25"."""
    for at, token in enumerate(tokens):
        under = [i for i, t in enumerate(tokens) if t.head == at]
        labels = {tokens[i].label for i in under}
        bare = not labels & {"cop", "det", "amod", "nmod:poss", "compound", "nummod", "aux"}
        to = at + 2 < len(tokens) and tokens[at + 1].lemma == "to" and tokens[at + 2].tag == "NUM"
        if token.tag != "NOUN" or "nsubj" not in labels or not bare or not to:
            continue
        tokens[at] = replace(token, tag="VERB")
        for i in under:
            if tokens[i].label == "nmod" and i > at:
                tokens[i] = replace(tokens[i], label="obl")


def _rates(tokens: list[ParsedToken]) -> None:
    """Of "15 a month" the number is the main word, and of "40 pounds a day" the pounds."""
    for at in range(len(tokens) - 2):
        number, article, noun = tokens[at : at + 3]
        each = article.form.lower() in ("a", "an", "per") and noun.tag in _NAMING
        counted = number.tag == "NUM" or any(
            t.head == at and t.label == "nummod" for t in tokens[:at]
        )
        if each and counted and noun.head == number.head and noun.label.startswith("obl"):
            tokens[at + 2] = replace(noun, head=at, label="nmod:unmarked")
        if number.tag != "NUM" or not each or number.head != at + 2:
            continue
        label = noun.label
        if noun.head >= 0 and tokens[noun.head].tag == "VERB" and label in ("obl", "obl:unmarked"):
            label = "obj"
        for i, other in enumerate(tokens):
            if other.head == at + 2 and i < at:
                tokens[i] = replace(other, head=at)
        tokens[at] = replace(number, head=noun.head, label=label)
        tokens[at + 2] = replace(noun, head=at, label="nmod:unmarked")


def _clauses(tokens: list[ParsedToken]) -> None:
    """What has a subject and a copula of its own is a clause of its own."""
    for at, token in enumerate(tokens):
        under = {t.label for t in tokens if t.head == at}
        if token.label in _WITHIN | {"obl", "appos", "obj"} and {"cop", "nsubj"} <= under:
            tokens[at] = replace(token, label="parataxis")


def _copulas(tokens: list[ParsedToken]) -> None:
    """Of "X is Y" the second says something of the first, and is no part of it."""
    for at, token in enumerate(tokens):
        copula = next((i for i, t in enumerate(tokens) if t.head == at and t.label == "cop"), -1)
        subject = token.head
        bare = token.label in ("acl", "acl:relcl") and not any(
            t.head == at and t.label == "mark" for t in tokens
        )
        if not 0 <= subject < copula < at or (token.label in _OWN_CLAUSE and not bare):
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


_MENDS: tuple[Callable[[list[ParsedToken]], None], ...] = (
    _asides,
    _relatives,
    _titles,
    _dropped,
    _genitives,
    _no_genitives,
    _copular,
    _having,
    _names,
    _addressed,
    _firms,
    _dates,
    _numbers,
    _measures,
    _versions,
    _presently,
    _plurals,
    _joined_verbs,
    _two_subjects,
    _got,
    _inner_copulas,
    _copulas,
    _between,
    _verbs,
    _rates,
    _objects,
    _subjects,
    _headlines,
    _done_to,
    _clauses,
    _bare_subjects,
    _own_subjects,
    _people,
)
