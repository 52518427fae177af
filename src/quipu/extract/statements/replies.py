"""What a short reply states together with the question that it answers.

    "Which port does the gateway listen on?" – "8443."  →  "the gateway listens on port 8443"

The question is turned into a statement with the reply in the place of what was asked, and that is
read as any sentence is: whatever stands in a statement is read of a reply as well.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from quipu.extract.grammar import ParsedToken, Sentence
from quipu.extract.statements.phrases import JUDGING
from quipu.records.attributes import third_person

__all__ = ["Reply", "reply_of", "stated_by"]

_LONGEST = 8
_YES = frozenset("yes yep yeah yup aye correct right exactly indeed sure".split())
_NO = frozenset("no nope nah".split())
_GREETING = frozenset("thanks thank thx cheers hey hi hello you so much".split())
_BEFORE = _GREETING | frozenset(
    "well oh ah hm hmm uh um er ok okay so just still about mine ours".split()
)
_PRO_FORMS = frozenset("it that they he she there".split())
_BREAKS = frozenset({",", ";", "(", "-", "–", "—", ":"})
_ONESELF = {"me": "I", "us": "we"}
_AT_PRESENT = frozenset("now today currently nowadays instead".split())
_POINTING = frozenset({"this", "these", "that", "next"})
_PLANNING = frozenset("will shall should 'll ’ll".split())
_SPELLS = frozenset("days day week month year time moment evening morning".split())
_HAVING = frozenset({"have", "be"})
_ANY = frozenset("any anything anyone anybody ever something".split())
_PRO_VERBS = frozenset("is are was were 's ’s 're ’re".split())
_ASKING = frozenset("what which who whom where when how".split())
_ARTICLES = frozenset("the a an my your our his her their its this that".split())
_TIMES = frozenset("time day date month year week weekday".split())
_AMOUNTS = frozenset({"much", "many"})
_TAIL = frozenset("again then btw exactly please though anyway".split())
_BE = frozenset("is are was were 's 're am ’s ’re".split())
_FULL = {"'s": "is", "’s": "is", "'re": "are", "’re": "are"}
_ANSWERING = {
    "you": "I",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "i": "you",
    "my": "your",
    "me": "you",
    "mine": "yours",
}
_OF_ME = {"are": "am", "were": "was", "'re": "'m", "’re": "’m"}
_NAMED = frozenset({"NUM", "PROPN", "X", "SYM"})
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d|\d{1,2} ?[ap]\.?m")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Reply(NamedTuple):
    """A reply that is no sentence: whether it says yes or no (None: neither), and the words that
    it gives beside that. `goes_on` tells that a statement of its own follows, `judges` that it
    only says what somebody thinks of it."""

    agreed: bool | None
    words: str
    tags: tuple[str, ...]
    goes_on: bool = False
    judges: bool = False


def reply_of(sentence: Sentence, text: str) -> Reply | None:
    """What a sentence replies, or what it begins with does; None where it is a statement of its
    own, or too long for a reply. `text` is what it was parsed in."""
    tokens = list(sentence.tokens)
    if any("?" in t.form for t in tokens):
        return None
    agreed: bool | None = None
    at = 0
    while at < len(tokens):
        low = tokens[at].form.lower().rstrip(".")
        if low in _YES | _NO:
            agreed = low in _YES if agreed is None else agreed
        elif low not in _BEFORE and tokens[at].tag not in ("INTJ", "PUNCT"):
            break
        at += 1
    opened = tokens[:at]
    at += _over_pro_form([t.form.lower() for t in tokens[at:]])
    rest = tokens[at:]
    first = rest[: _break(rest, 0)]
    alone = len(first) == 1 and first[0].tag == "PRON"  # "me, as ever"
    if any(map(_is_verb, rest)) or alone or (_gives(first) and not _gives(rest[len(first) :])):
        rest = first
    while rest and rest[-1].tag == "PUNCT":
        rest.pop()
    if _is_called(opened, rest):
        return None  # "Thanks, Ann!"
    if len(rest) > 1 and rest[-1].tag == "AUX":
        rest.pop()  # "Fenna does"
    if len(rest) > _LONGEST or any(map(_is_verb, rest)):
        return Reply(agreed, "", (), goes_on=True) if agreed is not None else None
    if not rest:
        return Reply(agreed, "", ()) if agreed is not None else None
    words = " ".join(text[rest[0].start : rest[-1].end].split())
    judges = any(t.lemma in JUDGING for t in rest)
    return Reply(agreed, words, tuple(t.tag for t in rest), judges=judges)


def _is_called(opened: Sequence[ParsedToken], rest: Sequence[ParsedToken]) -> bool:
    """Whether nothing but a name follows a greeting or a word of thanks: who is called by it."""
    greeted = any(t.form.lower() in _GREETING or t.tag == "INTJ" for t in opened)
    answered = any(t.form.lower().rstrip(".") in _YES | _NO for t in opened)
    return greeted and not answered and all(t.tag == "PROPN" for t in rest)


def _gives(tokens: Sequence[ParsedToken]) -> bool:
    """Whether words tell something in particular: a name or a number."""
    return any(t.tag in _NAMED for t in tokens)


def _break(tokens: Sequence[ParsedToken], first: int) -> int:
    """Where words from `first` on are broken off by a mark that joins no two of them."""
    for at in range(first, len(tokens) - 1):
        glued = (
            at and tokens[at - 1].end == tokens[at].start and tokens[at].end == tokens[at + 1].start
        )
        if tokens[at].form in _BREAKS and not glued:
            return at
    return len(tokens)


def _over_pro_form(lows: Sequence[str]) -> int:
    """How many words only stand for what was asked: the "it's" of "it's 8443"."""
    stands = len(lows) > 1 and lows[0] in _PRO_FORMS and lows[1] in _PRO_VERBS
    return 2 if stands else 0


def _is_verb(token: ParsedToken) -> bool:
    modifies = token.label in ("amod", "compound", "acl")
    return token.tag == "AUX" or (token.tag == "VERB" and not modifies)


def stated_by(question: Sentence, reply: Reply) -> str:
    """The statement that a question and its reply make; empty where they make none."""
    asked = _Question(question, _asked(question.tokens))
    if asked.asking < 0 and reply.agreed is not None:
        return asked.agreed() if reply.agreed else "" if reply.goes_on else asked.denied()
    return asked.answered(reply) if asked.is_answered(reply) else ""


def _asked(tokens: Sequence[ParsedToken]) -> list[ParsedToken]:
    """The words of what is asked, without what follows it: "which CI are we on, still X?"."""
    kept = list(tokens)
    asking = next((i for i, t in enumerate(kept) if t.form.lower() in _ASKING), -1)
    verb = next((i for i, t in enumerate(kept) if i > asking and t.tag in ("AUX", "VERB")), -1)
    if asking >= 0 <= verb:
        kept = kept[: _break(kept, verb)]
    while kept and (kept[-1].tag == "PUNCT" or kept[-1].form.lower() in _TAIL | _AT_PRESENT):
        kept.pop()
    lows = [t.form.lower() for t in kept]
    if len(kept) > 3 and lows[-1] in _SPELLS and lows[-2] in _POINTING:
        kept = kept[:-2]  # "what is it these days"
    return kept


def _of(subject: Sequence[str], lemma: str) -> str:
    """A verb in the present, as its subject wants it."""
    several = subject[-1].lower() in ("i", "we", "you", "they")
    if lemma == "be":
        return "am" if subject[-1] == "I" else "are" if several else "is"
    return lemma if several else third_person(lemma)


class _Question:
    """A question by its words: what is asked for stands at `asking`, its verb at `verb`."""

    def __init__(self, sentence: Sentence, tokens: Sequence[ParsedToken]) -> None:
        self.sentence, self.tokens = sentence, tokens
        self.lows = [t.form.lower() for t in tokens]
        self.asking = next((i for i, low in enumerate(self.lows) if low in _ASKING), -1)
        self.verb = next(
            (
                i
                for i, t in enumerate(tokens)
                if i > self.asking and t.tag in ("AUX", "VERB") and t.label != "amod"
            ),
            -1,
        )

    def is_answered(self, reply: Reply) -> bool:
        """Whether a reply can be what is asked for: a name, a number, a time; a thing or a quality
        where one is asked for by its name; oneself where somebody is."""
        tags = set(reply.tags)
        asked = self.lows[self.asking] if self.asking >= 0 else ""
        if asked == "how" and self.verb == self.asking + 1:
            return False  # "how was it"
        thing = asked in ("what", "which", "who") and not set(self._noun()) & _TIMES
        if thing and reply.tags[:1] == ("ADP",):
            return False  # "what will you do" – "in the morning, …"
        if tags & _NAMED or (asked == "who" and reply.tags == ("PRON",)):
            return not reply.judges
        if reply.agreed is not None or reply.judges:
            return False
        return "NOUN" in tags or (reply.tags == ("ADJ",) and bool(self._noun()))

    def answered(self, reply: Reply) -> str:
        """What it states with a reply in the place of what it asks for."""
        if self.verb < 0:
            return self._named(reply)
        if self.asking < 0:
            return self._possessed(reply)
        if (begin := self._subject_before_verb()) >= 0:  # "which engine we use?"
            kept = [i for i in range(begin, len(self.tokens)) if self.lows[i] not in _PLANNING]
            return self._joined(*(self._words(i, i + 1) for i in kept), [reply.words])
        if self._asks_for_subject():
            return self._told_of(reply)
        main = self._main()
        if main < 0:
            return self._is(reply)
        return self._does(main, reply)

    def _told_of(self, reply: Reply) -> str:
        """As in "who is on call" with "me"."""
        given = _ONESELF.get(reply.words.lower(), reply.words)
        words = self._words(self.verb)
        if given == "I":
            words[0] = {"is": "am", "'s": "am", "’s": "am", "was": "was"}.get(words[0], words[0])
            if self.tokens[self.verb].tag == "VERB":
                words[0] = self.tokens[self.verb].lemma
        return self._joined([given], words)

    def _possessed(self, reply: Reply) -> str:
        """As in "do you have a date in mind", "is there a limit": the date is what is replied."""
        main = next((i for i in range(len(self.tokens) - 1, -1, -1) if self._has(i)), -1)
        at = next(
            (i for i in range(main + 1, len(self.tokens)) if self.tokens[i].tag == "NOUN"), -1
        )
        first = main + (2 if self.lows[main + 1 : main + 2] == ["there"] else 1)
        if main < 0 or at < 0 or self.lows[first] not in ("a", "an"):
            return ""
        while at + 1 < len(self.tokens) and self.tokens[at + 1].tag == "NOUN":
            at += 1
        rest = self._words(at + 1)
        rest = rest[2:] if [w.lower() for w in rest[:2]] == ["in", "mind"] else rest
        return self._joined(["the"], self._words(first + 1, at + 1), rest, ["is", reply.words])

    def _has(self, at: int) -> bool:
        token = self.tokens[at]
        there = at + 1 < len(self.tokens) and self.lows[at + 1] == "there"
        return (token.lemma in _HAVING and token.tag == "VERB") or (
            there and token.tag in ("AUX", "VERB")
        )

    def _subject_before_verb(self) -> int:
        """Where a subject begins that stands before its verb all the same; -1 without one."""
        between = range(self.asking + 1, self.verb)
        return next((i for i in between if self.tokens[i].tag == "PRON"), -1)

    def _asks_for_subject(self) -> bool:
        """As in "who owns it", "what runs on 8080": nothing stands between it and its verb."""
        if self.tokens[self.verb].tag == "VERB":
            return True
        after = self.verb + 1
        if after >= len(self.tokens):
            return False
        return self.tokens[after].tag in ("VERB", "ADP", "ADJ") and self.lows[self.asking] != "how"

    def _main(self) -> int:
        """The verb that an auxiliary before the subject helps; -1 without one."""
        last = len(self.tokens) - 1
        if self.tokens[last].tag == "VERB" and last > self.verb + 1:
            return last  # "what's your dog called"
        if (be := next((i for i in range(self.verb + 2, last + 1) if self._is_be(i)), -1)) > 0:
            return be  # "what will it be"
        return next((i for i in range(self.verb + 2, last + 1) if self._is_main(i)), -1)

    def _is_be(self, at: int) -> bool:
        return self.lows[at] in ("be", "been")

    def _is_main(self, at: int) -> bool:
        token = self.tokens[at]
        return token.tag == "VERB" and token.label not in ("amod", "acl", "compound", "acl:relcl")

    def _named(self, reply: Reply) -> str:
        """As in "And the port?", "Which port?"."""
        first = self.asking + 1
        while first < len(self.tokens) and self.tokens[first].tag in ("CCONJ", "INTJ", "PUNCT"):
            first += 1
        words = self._words(first)
        if not words or self.tokens[-1].tag not in ("NOUN", "PROPN") or reply.tags[0] == "ADP":
            return ""
        article = [] if words[0].lower() in _ARTICLES or self._is_name(first) else ["the"]
        return self._joined(article, words, ["is", reply.words])

    def _is_name(self, at: int) -> bool:
        return self.tokens[at].tag == "PROPN" and at + 1 == len(self.tokens)

    def _is(self, reply: Reply) -> str:
        """As in "what is the port", "how old is Noor", "what version is prod on"."""
        subject, noun = self._words(self.verb + 1), self._noun()
        if before := self._before(self.asking):
            turned = self._turned(self.verb)
            return self._joined([turned, before, reply.words]) if turned else ""
        if not subject:
            return ""
        be = self._be(subject)
        if self.tokens[-1].tag == "ADP" and len(subject) > 1:
            return self._joined(subject[:-1], [be, subject[-1], self._with_noun(noun, reply)])
        if noun and not set(noun) & (_TIMES | _AMOUNTS) and self.lows[self.asking] != "how":
            return self._joined(["the", *noun, "of"], subject, ["is", reply.words])
        return self._joined(subject, [be, self._placed(reply)])

    def _does(self, main: int, reply: Reply) -> str:
        """As in "where do you live", "which port does it listen on", "when is it due"."""
        subject, rest = self._words(self.verb + 1, main), self._words(main)
        helper, noun = self.lows[self.verb], self._noun()
        if not subject:
            return ""
        if helper == "does":
            rest[0] = third_person(self.tokens[main].lemma)
        elif helper in _PLANNING:  # what was decided so is so
            rest[0] = _of(subject, self.tokens[main].lemma)
        elif helper != "do":
            subject.append(self._be(subject) if helper in _BE else helper)
        given = self._with_noun(noun, reply)
        if before := self._before(self.asking):
            return self._joined(subject, rest, [before, given])
        if self.tokens[-1].tag == "ADP":
            return self._joined(subject, rest, [given])
        if self.lows[self.asking] in ("what", "which", "who", "whom") or noun:
            at = self._place_behind(main)
            return self._joined(subject, rest[:at], [given], rest[at:])
        return self._joined(subject, rest, [self._placed(reply)])

    def _place_behind(self, main: int) -> int:
        """How many words of a verb and what follows it stand before its object: the "works on" of
        "what are you working on together", the "give me" of "what did they give me"."""
        at = main + 1
        while at < len(self.tokens) and self.tokens[at].tag in ("ADP", "PRON"):
            after = self.tokens[at + 1].tag if at + 1 < len(self.tokens) else ""
            if self.tokens[at].tag == "ADP" and after not in ("", "ADV", "PUNCT"):
                break
            at += 1
        return at - main

    def _noun(self) -> list[str]:
        """What is asked for by its name: the "port" of "which port"."""
        return self.lows[self.asking + 1 : self.verb] if 0 <= self.asking < self.verb else []

    def _with_noun(self, noun: Sequence[str], reply: Reply) -> str:
        """The reply with what it is one of: "port 8443", "six nodes"."""
        bare = all(tag in ("NUM", "SYM") for tag in reply.tags)
        if not noun or not bare or set(noun) & _TIMES:
            return reply.words
        if noun[0] in _AMOUNTS:
            return " ".join((reply.words, *noun[1:]))
        return " ".join((*noun, reply.words))

    def _placed(self, reply: Reply) -> str:
        """The reply with the preposition that its question leaves to it: "in Oslo"."""
        asked, alone = self.lows[self.asking], reply.tags[0] != "ADP"
        if asked == "where" and alone:
            return f"in {reply.words}"
        timely = asked == "when" or set(self._noun()) & _TIMES
        if not timely or not alone:
            return reply.words
        if _CLOCK.match(reply.words):
            return f"at {reply.words}"
        return f"{'in' if _YEAR.fullmatch(reply.words) else 'on'} {reply.words}"

    def _before(self, at: int) -> str:
        """The preposition before what is asked for: the "on" of "on which port"."""
        led = at > 0 and self.tokens[at - 1].tag in ("ADP", "SCONJ")
        return self.lows[at - 1] if led else ""

    def agreed(self) -> str:
        """What it states where the reply is yes."""
        if self.asking >= 0 or self.verb < 0 or _ANY & set(self.lows):
            return ""
        helper = self._inverted()
        if helper < 0 and len(self.tokens) > _LONGEST:
            return ""
        return self._turned(helper) if helper >= 0 else self._joined(self._words(0))

    def _inverted(self) -> int:
        """The auxiliary that stands before its subject, as in questions; -1 without one."""
        for at, token in enumerate(self.tokens[:-1]):
            if token.tag == "AUX" and self._behind_subject(at) > at + 1:
                before = self.tokens[at - 1].label if at else ""
                return -1 if before.startswith("nsubj") else at
        return -1

    def _turned(self, helper: int) -> str:
        """A question that its verb begins, in the order of a statement."""
        low = self.lows[helper]
        after = self._behind_subject(helper)
        if after <= helper + 1:
            return ""
        subject, rest = self._words(helper + 1, after), self._words(after)
        main = next((i for i in range(after, len(self.tokens)) if self._is_main(i)), -1)
        if low == "does" and main >= 0:
            rest[main - after] = third_person(self.tokens[main].lemma)
        elif low != "do":
            subject.append(self._be(subject) if low in _BE else low)
        return self._joined(subject, rest)

    def _behind_subject(self, helper: int) -> int:
        """Where the subject ends that stands behind an auxiliary."""
        places = {id(t): i for i, t in enumerate(self.tokens)}
        for at, token in enumerate(self.sentence.tokens):
            here = places.get(id(token), -1)
            if here > helper and token.label.startswith("nsubj"):
                last = here
                todo = [at]
                while todo:
                    for child in self.sentence.under[todo.pop()]:
                        place = places.get(id(self.sentence.tokens[child]), -1)
                        if place > helper:
                            last = max(last, place)
                            todo.append(child)
                return last + 1
        return -1

    def denied(self) -> str:
        """What it states where the reply is no: what still was so no longer is."""
        said = self.agreed()
        return re.sub(r"\bstill\b", "no longer", said) if " still " in said else ""

    def _be(self, subject: Sequence[str]) -> str:
        form = _FULL.get(self.lows[self.verb], self.lows[self.verb])
        return _OF_ME.get(form, form) if subject == ["I"] else form

    def _words(self, begin: int, end: int | None = None) -> list[str]:
        """The words of a stretch as the one who replies would say them."""
        found: list[str] = []
        for at, token in enumerate(self.tokens[begin:end], begin):
            low = token.form.lower()
            said = _ANSWERING.get(low, token.form)
            if low == "you" and not token.label.startswith("nsubj"):
                said = "me"
            said = _OF_ME.get(low, said) if found and found[-1] == "I" else said
            if found and token.start == self.tokens[at - 1].end:
                found[-1] += said
            else:
                found.append(said)
        return found

    @staticmethod
    def _joined(*parts: Sequence[str]) -> str:
        return " ".join(word for part in parts for word in part if word)
