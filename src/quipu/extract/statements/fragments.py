"""What is stated without a verb of its own: who holds which post ("Dmitri primary, Carla
secondary"), who or what somebody is ("Bo, a plumber from Lund"), as what they act ("as conductor
she …")."""

from collections.abc import Iterator, Sequence

from quipu.extract.grammar.clauses import is_stated, phrase
from quipu.extract.grammar.people import KIN, RANKS, TITLES
from quipu.extract.statements.phrases import ANNOUNCING, NO_KIND
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import CONFIDENCE, Statement, clean, is_object, singular
from quipu.records.attributes import SEVERAL, VALUE

__all__ = ["Fragments", "is_post"]

_CONFIDENCE = 0.6
_POSTS = ("er", "or", "ist", "ian", "man", "woman", "person", "lead", "chief", "head", "captain")
_NO_POSTS = (
    *("ater", "aper", "ower", "lver", "tter", "ther", "nner", "pper", "mber", "bber", "lder"),
    *("wder", "nger", "ister", "under", "ever", "over", "summer", "uter", "order", "corner"),
    *("colour", "color", "floor", "door", "motor", "tractor", "error", "human", "german", "van"),
)
_PEOPLE = frozenset(
    "physio vet gp doctor nurse landlord landlady student coach chef guide host tenant consultant "
    "accountant assistant solicitor minister president agent lodger midwife".split()
)
_GREETING = frozenset("hi hello hey dear thanks morning evening afternoon sorry ok okay".split())
_MARKS = frozenset(",;.!")
_QUOTES = frozenset({'"', "“"})
_OF_POST = frozenset({"is", "'s", "’s", ":", "=", "-", "–", "now"})
_TIMELY = frozenset("this week month from today tonight till until since now then again".split())
_ENDS = frozenset(",;.:!?()–—")
_LINKING = frozenset("and or but who which that".split())


def is_post(lemma: str) -> bool:
    """Whether a noun is what somebody may be without an article: "treasurer"."""
    if lemma in _PEOPLE:
        return True
    return lemma.endswith(_POSTS) and not lemma.endswith(_NO_POSTS) and lemma not in KIN


_LONGEST_NOTED = 3


class Fragments:
    """Reads them for one reader."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def posts(self) -> list[Statement]:
        """The posts of a sentence that says nothing else: "Primary is Ann, secondary Bo"."""
        here = self.reading.here
        if not is_stated(here.sentence):
            return []
        pairs = [self._post(words) for words in self._stretches()]
        found = [pair for pair in pairs if pair]
        if not found or len(found) < len(pairs):
            return []
        made = (self._statement("we", post, name, noun=True) for post, name in found)
        return [each._replace(confidence=CONFIDENCE) for each in made]

    def _stretches(self) -> Iterator[list[int]]:
        tokens = self.reading.here.sentence.tokens
        words: list[int] = []
        for at in range(len(tokens) + 1):
            if at == len(tokens) or tokens[at].form in _MARKS or tokens[at].tag == "CCONJ":
                if words:
                    yield words
                words = []
            elif tokens[at].tag not in ("INTJ", "PUNCT") or tokens[at].form in _OF_POST:
                words.append(at)

    def _post(self, words: Sequence[int]) -> tuple[str, str] | None:
        """(post, who holds it) of a stretch that names nothing else; else None."""
        here = self.reading.here
        tokens = here.sentence.tokens
        left = [i for i in words if not (here.is_time(i) or tokens[i].form.lower() in _TIMELY)]
        post = [i for i in left if tokens[i].form.lower() in RANKS]
        rest = [i for i in left if i not in post and tokens[i].form.lower() not in _OF_POST]
        if len(post) != 1 or not rest:
            return None
        name = here.proper(clean(phrase(here.text, here.sentence, rest)))
        if len(rest) == 1 and tokens[rest[0]].form.lower() in ("me", "i"):
            name = here.utterance.speaker or "user"
        elif any(tokens[i].tag != "PROPN" for i in rest):
            return None
        return (tokens[post[0]].form.lower(), name) if name else None

    def read(self) -> list[Statement]:
        """What else is told without a verb."""
        sentence = self.reading.here.sentence
        quoted = any(token.form in _QUOTES for token in sentence.tokens)
        if sentence.tokens[-1].form == "?" or quoted:
            return []
        described = self._described() if is_stated(sentence) else ()
        named = self._named() if described else ()
        return [*described, *named, *self._acting()]

    def _described(self) -> Iterator[Statement]:
        """As in "Bryn Hyfryd, a farmhouse outside Llandovery", "Pixel, our cat"."""
        here = self.reading.here
        tokens = here.sentence.tokens
        for mark in range(1, len(tokens) - 2):
            name, first = mark - 1, tokens[mark + 1]
            named = tokens[name].tag == "PROPN" and tokens[mark].form == ","
            called = self._is_called(name) or here.is_time(name) or self._is_said(name)
            if not named or called or first.form.lower() not in ("a", "an", "my", "our"):
                continue
            words = self._phrase_from(mark + 1)
            if not words:
                continue
            main = self._main(words)
            top = name
            while top and tokens[top - 1].tag == "PROPN":
                top -= 1
            subject = here.names_from(top)
            if first.form.lower() in ("my", "our"):
                owner = "" if tokens[main].lemma in NO_KIND else here.pronoun(mark + 1)
                if not owner:
                    continue
                yield self._statement(owner, here.attribute(main), subject, noun=True)
            elif not here.is_judged(main) and tokens[main].lemma not in KIN:
                value = clean(phrase(here.text, here.sentence, words))
                yield self._statement(subject, "is", value)

    def _is_called(self, at: int) -> bool:
        """Whether a name only calls somebody: "Hi Paul, a question"."""
        tokens = self.reading.here.sentence.tokens
        top = at
        while top and tokens[top - 1].tag == "PROPN":
            top -= 1
        if tokens[at].label == "vocative" or not top:
            return not tokens[top].label.startswith("nsubj")
        before = tokens[top - 1]
        greeted = before.form.lower() in _GREETING or before.tag == "INTJ"
        return greeted or (before.tag == "NOUN" and before.lemma not in KIN)

    def _named(self) -> Iterator[Statement]:
        """As in "my landlord, Mr Dow, never answers", "a second physio, Sander, who …"."""
        here = self.reading.here
        tokens = here.sentence.tokens
        for mark in range(1, len(tokens) - 2):
            noun, first = mark - 1, mark + 1
            apart = tokens[mark].form == "," and tokens[first].tag == "PROPN"
            last = first
            while last + 1 < len(tokens) and tokens[last + 1].tag == "PROPN":
                last += 1
            after = tokens[last + 1] if last + 1 < len(tokens) else None
            further = tokens[last + 2] if last + 2 < len(tokens) else None
            goes_on = after is not None and after.form == "," and further is not None
            if not apart or not goes_on or further is None or not self._is_somebody(noun, first):
                continue
            if further.tag in ("PROPN", "CCONJ", "DET") or here.is_time(first):
                continue  # "my boss, Ann, and Bo"
            name = here.names_from(first)
            owner = here.possessor(noun)
            if owner and owner[0]:
                yield self._statement(owner[0], here.attribute(noun), name, noun=True)
            elif any(tokens[c].lemma == "a" for c in here.sentence.under[noun]):
                yield self._statement(name, "is", f"a {here.attribute(noun)}")

    def _is_somebody(self, noun: int, name: int) -> bool:
        """Whether a noun is of a person: by itself, or by the title of the name behind it."""
        here = self.reading.here
        token = here.sentence.tokens[noun]
        titled = here.sentence.tokens[name].form.rstrip(".").lower() in TITLES
        kin = token.lemma in KIN  # which other rules read
        return token.tag == "NOUN" and not kin and (titled or is_post(token.lemma))

    def _is_said(self, at: int) -> bool:
        """Whether a name says who "I" am, whose trade other rules read."""
        sentence = self.reading.here.sentence
        top = sentence.tokens[at].head if sentence.tokens[at].label == "flat" else at
        said = any(sentence.tokens[c].label == "cop" for c in sentence.under[top])
        return said and not self.reading.here.case(top)

    def _main(self, words: Sequence[int]) -> int:
        """The noun of a phrase: the last one before what hangs on it by a preposition."""
        tokens = self.reading.here.sentence.tokens
        end = next((i for i in words if tokens[i].tag == "ADP"), words[-1] + 1)
        return end - 1

    def _phrase_from(self, first: int) -> list[int]:
        """The words of a phrase that ends at a mark, and is no item of a list nor a subject."""
        tokens = self.reading.here.sentence.tokens
        end = first
        while end < len(tokens) and tokens[end].form not in _ENDS:
            token = tokens[end]
            if token.tag in ("VERB", "AUX") and token.label not in ("amod", "compound"):
                if not (token.label == "acl" and token.form.lower() != token.lemma):
                    return []
                break
            if token.form.lower() in _LINKING:
                break
            end += 1
        linked = end < len(tokens) and tokens[end].tag == "CCONJ"
        listed = (
            end + 1 < len(tokens)
            and tokens[end].form == ","
            and tokens[end + 1].form.lower() in ("a", "an", "and", "or")
        )
        words = list(range(first, end))
        whole = len(words) > 1 and tokens[self._main(words)].tag in ("NOUN", "PROPN")
        return [] if linked or listed or not whole else words

    def _acting(self) -> Iterator[Statement]:
        """As in "as conductor she should know": what she is, whatever is said of her."""
        here = self.reading.here
        tokens = here.sentence.tokens
        for at, token in enumerate(tokens):
            acting = token.tag == "NOUN" and here.case(at) == "as" and is_post(token.lemma)
            verb = token.head
            if not acting or verb < at or not (here.is_bare(at) or here.is_title(at)):
                continue
            subject = next(
                (
                    c
                    for c in here.sentence.under[verb]
                    if tokens[c].label.startswith("nsubj") and c > at
                ),
                -1,
            )
            who = here.name(subject) if subject > at and here.is_person(subject) else ""
            if who:
                yield self._statement(who, "works as", here.attribute(at))

    def _statement(
        self, subject: str, predicate: str, value: str, *, noun: bool = False
    ) -> Statement:
        here = self.reading.here
        return here.state(subject, predicate, value, confidence=_CONFIDENCE, single=noun, noun=noun)

    def noted(self) -> Iterator[Statement]:
        """As in "Kafka retention: 3 days", "dentist: 4 February, 8:40": a note of one thing."""
        sentence, here = self.reading.here.sentence, self.reading.here
        tokens = sentence.tokens
        mark = next((at for at, t in enumerate(tokens) if t.form == ":"), -1)
        clause = any(t.tag in ("VERB", "AUX") for t in tokens)
        heads = [at for at in range(mark) if tokens[at].tag in ("NOUN", "PROPN")]
        if clause or not heads or mark + 1 >= len(tokens):
            return
        at = heads[-1]
        before = [i for i in range(at) if tokens[i].tag not in ("INTJ", "CCONJ", "PUNCT", "ADV")]
        first = mark + 1
        said = here.is_time(first) or tokens[first].tag in ("NUM", "SYM", "PROPN")
        if (
            not said
            or at != mark - 1
            or len(before) > _LONGEST_NOTED
            or (tokens[at].lemma in ANNOUNCING)
        ):
            return
        mark = max((i for i in range(at) if tokens[i].form == ","), default=-1)
        before = [i for i in before if i > mark]  # "next, the door code: 4471"
        before = [i for i in before if i not in here.of_now(at)]
        subject = here.lowered(
            at, here.proper(singular(phrase(here.text, sentence, [*before, at])))
        )
        end = next(
            (i for i in range(first, len(tokens)) if tokens[i].form in (",", ";", "(")), len(tokens)
        )
        value = clean(phrase(here.text, sentence, range(first, end)))
        named = tokens[first].tag == "PROPN" and not here.is_time(first)
        listed = named and end + 1 < len(tokens) and tokens[end + 1].tag == "PROPN"
        told = any(tokens[i].tag == "PRON" for i in range(first, end))
        owner = here.possessor(at)
        subject, predicate = here.owned(at) or (subject, VALUE) if owner else (subject, VALUE)
        if subject and is_object(value) and not (listed or told):
            yield self.reading.here.state(
                subject, predicate, value, single=True, noun=True, thing=owner is None
            )

    def come_from(self) -> Iterator[Statement]:
        """Where somebody who is named is from: "Prof. Abara from Durham", "Lone from the port
        authority"."""
        here, sentence = self.reading.here, self.reading.here.sentence
        tokens = sentence.tokens
        for case in range(1, len(tokens) - 1):
            name, end = case - (tokens[case - 1].form == ","), case + 1
            while end < len(tokens) and tokens[end].tag in ("DET", "ADJ", "NOUN", "PROPN"):
                end += 1
            named = name and tokens[name - 1].tag == "PROPN" and here.is_person(name - 1)
            place = tokens[case].lemma == "from" and tokens[end - 1].tag in ("NOUN", "PROPN")
            if not (named and place) or here.is_time(end - 1) or not is_stated(sentence):
                continue
            begin = name
            while begin and tokens[begin - 1].tag == "PROPN":
                begin -= 1
            subject = here.proper(phrase(here.text, sentence, range(begin, name)))
            value = singular(phrase(here.text, sentence, range(case + 1, end)))
            if subject and value:
                yield self.reading.here.state(subject, "is from", value)

    def named_kin(self) -> Iterator[Statement]:
        tokens = self.reading.here.sentence.tokens
        for at, token in enumerate(tokens):
            if token.tag != "NOUN" or token.lemma not in KIN:
                continue
            owner = self.reading.here.possessor(at)
            named = self.reading.here.appositive(at)
            if owner and owner[0] and named >= 0:
                value = self.reading.here.names_from(named)
                if value:
                    yield self.reading.here.state(
                        owner[0],
                        self.reading.here.attribute(at),
                        value,
                        single=token.lemma not in SEVERAL,
                        noun=True,
                    )
