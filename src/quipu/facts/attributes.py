"""The table of attributes: which wordings say one and the same thing of somebody or something.

A fact's key is its owner and its attribute, whatever words stated it: who "lives in" a place, "is
based in" it or "moved to" it has one home. What is not in the table is keyed by its own verb or
noun. A predicate is a verb in the third person with what belongs to it ("lives in"), or a noun.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from quipu.text import name_key

__all__ = [
    "FUNCTIONAL",
    "SHIPPED",
    "VALUE",
    "Attribute",
    "AttributePhrase",
    "Attributes",
]

VALUE = "value"
"""What is said of a thing that is itself what is asked for: the deadline is 4 May."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute. Phrases are lemmas with their particle and preposition: "live in".

    `verbs` state it, `begins` are events after which it holds, `ends` events after which it no
    longer does, `nouns` name it ("my employer is X"). An `inverse` attribute says the same of
    what stands on its other side: "Team Blue owns X" is said of X, whose owner is Team Blue.
    """

    name: str
    verbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    functional: bool | None = None
    inverse: str = ""
    values: frozenset[str] = frozenset()
    """What only this attribute has: "vegan" tells that it is the diet."""
    family: str = ""
    """Attributes of one family tell of one thing in other words: what ends one of them ends the
    others of the same value."""
    asked: str = ""
    """What else its value is asked for by: the "company" one works for."""
    of_each: bool = False
    """Whether what "we" say of ourselves is said of the one who speaks."""


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip() for word in text.split(","))


ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "lives in",
        asked="city town country home address move",
        family="places",
        of_each=True,
        verbs=(
            "live in",
            "live at",
            "reside in",
            "dwell in",
            "be based in",
            "be base in",
            "be settle in",
        ),
        begins=(
            "move to",
            "relocate to",
            "resettle in",
            "settle in",
            "move back to",
            "move over to",
            "move house to",
            "emigrate to",
            "settle down in",
        ),
        nouns=("residence", "place of residence", "home address"),
        functional=True,
    ),
    Attribute(
        "works for",
        asked="company firm employer job",
        verbs=("work for", "work at", "be employ by", "be employ at"),
        begins=(
            "join",
            "start at",
            "start work at",
            "start work for",
            "sign on with",
            "be hire by",
            "be hire at",
            "start job at",
            "take job at",
            "take job with",
            "get job at",
            "take position at",
            "land job at",
            "accept job at",
            "begin at",
            "move to company",
        ),
        ends=(
            "leave",
            "quit",
            "resign from",
            "be fire from",
            "be lay off from",
            "retire from",
            "quit job at",
            "leave job at",
            "lose job at",
            "lose job with",
        ),
        nouns=("employer",),
        functional=True,
    ),
    Attribute(
        "works as",
        asked="job role position title living",
        verbs=("work as", "be employ as", "stay on as", "serve as", "act as", "remain as"),
        begins=(
            "become",
            "be promote to",
            "be hire as",
            "start as",
            "be make",
            "take job as",
            "take position as",
            "get job as",
            "start job as",
        ),
        nouns=("occupation", "profession", "job title"),
        functional=True,
    ),
    Attribute(
        "is owned by",
        asked="responsible charge",
        family="care",
        verbs=("be own by", "belong to", "be responsibility of"),
        begins=(
            "be take over by",
            "be hand over to",
            "pass to",
            "be hand to",
            "be transfer to",
        ),
        nouns=("owner",),
        functional=True,
    ),
    Attribute("is assigned to", asked="owner responsible assignee", verbs=("be assign to",)),
    Attribute(
        "owns",
        verbs=("own", "be responsible for", "be in charge of", "look after"),
        begins=("take over", "take charge of", "take on"),
        ends=("hand over",),
        inverse="is owned by",
    ),
    Attribute(
        "is led by",
        asked="leader head boss",
        family="care",
        verbs=("be lead by", "be head by", "be run by", "be manage by"),
        functional=True,
    ),
    Attribute("leads", verbs=("lead", "head", "manage"), inverse="is led by"),
    Attribute(
        "reports to",
        verbs=("report to",),
        begins=("start report to",),
        functional=True,
    ),
    Attribute(
        "runs on",
        asked="use database platform stack version deploy host",
        family="tools",
        verbs=(
            "run on",
            "run",
            "live on",
            "sit on",
            "be build on",
            "be host on",
            "be deploy on",
            "be deploy to",
            "be run on",
        ),
        begins=("move onto", "be move to", "be migrate to", "be port to"),
        functional=True,
    ),
    Attribute(
        "uses",
        family="tools",
        verbs=("use", "rely on"),
        begins=(
            "switch to",
            "migrate to",
            "move over to",
            "change to",
            "change over to",
            "go with",
            "settle on",
            "decide on",
            "adopt",
            "opt for",
            "standardize on",
            "standardise on",
            "transition to",
            "convert to",
            "upgrade to",
            "start use",
            "choose",
            "pick",
            "go for",
            "go over to",
        ),
        ends=(
            "drop",
            "abandon",
            "ditch",
            "cancel",
            "stop use",
            "move away from",
            "get rid of",
            "retire",
            "phase out",
            "decommission",
            "sunset",
        ),
    ),
    Attribute(
        "is due on",
        verbs=("be due on", "be due", "be due by"),
        nouns=("deadline", "due date"),
        functional=True,
    ),
    Attribute(
        "value",
        verbs=(
            "be set to",
            "be set at",
            "be cap at",
            "be limit to",
            "be schedule for",
            "be schedule on",
            "be plan for",
            "be set for",
            "be on",
            "be for",
            "take place on",
            "take place",
            "happen on",
            "be hold on",
            "start on",
            "start at",
            "be at",
            "take place at",
            "be slate for",
            "begin on",
            "begin at",
            "kick off at",
            "kick off on",
            "open on",
            "commence on",
        ),
        begins=(
            "be move to",
            "be postpone to",
            "be postpone until",
            "be push to",
            "slip to",
            "be push back to",
            "be reschedule to",
            "be reschedule for",
            "be delay to",
            "be delay until",
            "be bring forward to",
        ),
        functional=True,
    ),
    Attribute(
        "is located in",
        asked="where place city",
        family="places",
        verbs=("be locate in", "be locate at", "be situate in", "be in", "sit in", "stand in"),
        nouns=("location",),
        functional=True,
    ),
    Attribute(
        "is married to",
        asked="spouse married",
        verbs=("be marry to",),
        begins=("marry", "get marry to"),
        ends=("divorce", "be divorce from", "get divorce from"),
        family="partners",
        nouns=("wife", "husband", "spouse"),
        functional=True,
    ),
    Attribute(
        "is engaged to",
        verbs=("be engage to",),
        begins=("get engage to",),
        family="partners",
        nouns=("fiancé", "fiancée", "fiance", "fiancee"),
        functional=True,
    ),
    Attribute(
        "dates",
        asked="together",
        verbs=("date", "go out with", "be together with", "see"),
        ends=(
            *("split with", "split up with", "separate from", "break up with", "part from"),
            *("break it off with", "break engagement to", "break off engagement to"),
        ),
        family="partners",
        nouns=("partner", "girlfriend", "boyfriend"),
        functional=True,
    ),
    Attribute(
        "diet",
        nouns=("diet",),
        functional=True,
        values=_words(
            "vegetarian, vegan, pescatarian, omnivore, gluten-free, keto, kosher, halal, "
            "a vegetarian, a vegan, a pescatarian, plant-based, lactose intolerant"
        ),
    ),
    Attribute(
        "marital status",
        functional=True,
        values=_words("single, married, engaged, divorced, widowed, separated"),
    ),
    Attribute(
        "status",
        nouns=("status",),
        functional=True,
        values=_words(
            "deprecated, disabled, enabled, archived, retired, broken, offline, online, "
            "open, closed, paused, cancelled, canceled, finished, done, complete, "
            "completed, blocked, approved, rejected, read-only, live, down, green, red, "
            "frozen, obsolete, abandoned, unmaintained, shipped, released, on hold, "
            "unstable, stable, deferred, pending, mandatory, optional, unsupported"
        ),
    ),
    Attribute(
        "is allergic to",
        verbs=("be allergic to", "have allergy to"),
        begins=("develop allergy to",),
    ),
    Attribute("is intolerant to", verbs=("be intolerant to", "be intolerant of")),
    Attribute("is afraid of", verbs=("be afraid of", "be scare of", "be terrify of")),
    Attribute(
        "is called",
        asked="name",
        verbs=("be call", "be name", "go by"),
        begins=("be rename to", "be rename"),
        functional=True,
    ),
    Attribute(
        "is from",
        verbs=("be from", "come from", "hail from", "be original from"),
        begins=("be bear in", "grow up in"),
    ),
    Attribute(
        "was born",
        asked="born birth",
        begins=("be bear on",),
        nouns=("birthday", "birth date", "date of birth"),
        functional=True,
    ),
    Attribute(
        "likes",
        verbs=(
            "like",
            "love",
            "enjoy",
            "adore",
            "be fond of",
            "be into",
            "be a fan of",
            "be fan of",
            "be keen on",
        ),
        begins=("fall in love with", "get into"),
        ends=("go off",),
    ),
    Attribute("not likes", verbs=("hate", "dislike", "detest", "loathe", "despise")),
    Attribute("prefers", verbs=("prefer", "favor", "favour")),
    Attribute("speaks", verbs=("speak", "be fluent in")),
    Attribute(
        "studies",
        asked="subject degree",
        nouns=("major",),
        verbs=("study", "major in", "be enrol in", "be enroll in"),
    ),
    Attribute(
        "attends",
        asked="school university",
        verbs=("attend", "study at", "go to school at", "be a student at"),
        functional=True,
    ),
    Attribute("plays", verbs=("play",), begins=("take up",)),
    Attribute("plays for", verbs=("play for",), begins=("sign for", "sign with"), functional=True),
    Attribute("drives", asked="car", family="tools", verbs=("drive",), functional=True),
    Attribute(
        "costs",
        asked="much pay cost price",
        verbs=("cost", "be price at"),
        nouns=("price", "cost", "fee"),
        functional=True,
    ),
    Attribute(
        "is written in",
        asked="language programming",
        verbs=("be write in",),
        begins=("be rewrite in",),
        functional=True,
    ),
    Attribute(
        "is maintained by",
        asked="responsible",
        family="care",
        verbs=("be maintain by",),
        nouns=("maintainer",),
        functional=True,
    ),
    Attribute("maintains", verbs=("maintain",), inverse="is maintained by"),
    Attribute("age", asked="old", begins=("turn",), nouns=("age",), functional=True),
    Attribute("eats", verbs=("eat",)),
    Attribute("drinks", verbs=("drink",)),
    Attribute(
        "takes",
        asked="medication medicine drug tablet",
        ends=("come off", "wean off", "stop take"),
    ),
    Attribute("depends on", verbs=("depend on",)),
    Attribute("supports", verbs=("support",), ends=("drop support for", "stop support")),
    Attribute("requires", verbs=("require", "need")),
    Attribute(
        "has",
        family="tools",
        verbs=("have",),
        begins=("get", "adopt", "buy", "purchase", "acquire", "receive"),
        ends=(
            "lose",
            "sell",
            "return",
            "give away",
            "get rid of",
            "give up",
            "cut out",
            "trade in",
            "throw out",
            "quit",
        ),
    ),
    Attribute("does", verbs=("do", "handle", "take care of", "see to"), inverse="is done by"),
    Attribute(
        "is done by",
        asked="responsible charge care handle do",
        verbs=("be do by", "be handle by"),
        functional=True,
    ),
    Attribute("is held by", asked="have has", verbs=("be hold by",), functional=True),
    Attribute(
        "condition",
        asked="illness sick",
        nouns=("condition", "diagnosis"),
        values=_words(
            "coeliac, celiac, diabetic, asthmatic, epileptic, dyslexic, autistic, deaf, "
            "blind, colour-blind, color-blind, colourblind, colorblind, anaemic, anemic, "
            "pregnant, left-handed, short-sighted, near-sighted, lactose-intolerant, "
            "a diabetic, an asthmatic, a coeliac"
        ),
    ),
    Attribute("suffers from", verbs=("suffer from",), begins=("be diagnose with",)),
    Attribute(
        "weighs", asked="heavy much weight", verbs=("weigh",), nouns=("weight",), functional=True
    ),
    Attribute(
        "earns",
        asked="much money salary pay",
        verbs=("earn",),
        nouns=("salary", "income", "wage"),
        functional=True,
    ),
)
"""The attributes that come with Quipu; the configuration may add others."""

_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}


def _third_person(lemma: str) -> str:
    """`uses` for "use"."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"


FUNCTIONAL = frozenset(
    predicate.strip()
    for predicate in """
    address, assignee, budget, capital, captain, ceo, cfo, chair, chairman, chairperson,
    chancellor, coach, commander, cto, deadline, default, director, editor, email, employer,
    head, head coach, head of government, head of state, head of the government, home, host,
    job, king, leader, lifecycle, limit, location, manager, mayor, name, owner, phone, port,
    president, price, prime minister, priority, principal, queen, rate, rector, role, salary,
    schedule, size, spouse, stadium, stage, state, status, target, team size, title, value,
    version, favorite *,
    is based in, is due on, is hosted on, is led by, is located in, is maintained by,
    is managed by, is married to, is owned by, is scheduled for, is set to, lives at, lives in,
    reports to, runs on, works as
    """.split(",")
)
"""Predicates with one value at a time, as shipped, whoever states them; the configuration may name
others. `favorite *` stands for every predicate that begins with that word."""

_NO_OTHER_WORDS = frozenset({"has", "likes", "not likes"})
"""Attributes that are stated by their own predicate alone: "loves" is more than "likes"."""
_TOOLS, _CARE = "tools", "care"
_BEING = frozenset("am is are was were been being".split())
_KEEPING = ("is stored in", "is kept in", "is hosted", "is built with", "is deployed")


def _together(known: Attribute | None, more: Attribute) -> Attribute:
    """An attribute with the phrases that were added to it."""
    plain = {
        field: tuple(_lemmas(phrase) for phrase in getattr(more, field))
        for field in ("verbs", "begins", "ends")
    }
    plain["nouns"] = tuple(noun.lower() for noun in more.nouns)
    if known is None:
        return replace(more, **plain)
    return replace(
        known,
        **{field: (*getattr(known, field), *phrases) for field, phrases in plain.items()},
        functional=known.functional if more.functional is None else more.functional,
        inverse=more.inverse or known.inverse,
        family=more.family or known.family,
    )


def _lemmas(phrase: str) -> str:
    """A phrase with its verb as the table writes it: "is on call for" is "be on call for"."""
    first, *rest = phrase.lower().split()
    lemma = next((base for base, said in _IRREGULAR.items() if said == first), first)
    return " ".join(("be" if first in _BEING else lemma, *rest))


class AttributePhrase(NamedTuple):
    """What a phrase tells: an attribute, and whether it holds, begins or ends."""

    attribute: Attribute
    kind: Literal["verbs", "begins", "ends"]


class Attributes:
    """The table as it holds: what is shipped, and what the user added to it or put in its place.

    `functional` names predicates with one value at a time, whoever states them; a name that ends in
    ` *` stands for every predicate that begins so.
    """

    def __init__(
        self, own: Iterable[Attribute] = (), *, functional: Iterable[str] = FUNCTIONAL
    ) -> None:
        rows, several = {each.name: each for each in ATTRIBUTES}, set[str]()
        single = set(functional)
        for each in own:
            rows[each.name] = row = _together(rows.get(each.name), each)
            if each.functional is not None:
                (single if row.functional else several).add(row.name)
        self.rows = (*rows.values(),)
        self.functional = frozenset(single - several)
        self._row = {each.name: each for each in self.rows}
        self._entries = self._read_entries()
        self._by_predicate = self._read_predicates()
        self._by_noun = {noun: each.name for each in reversed(self.rows) for noun in each.nouns}

    def entry(self, phrase: str) -> AttributePhrase | None:
        """What a phrase of lemmas tells."""
        return self._entries.get(phrase)

    def attribute_of(self, predicate: str) -> str:
        """What the facts of a predicate are kept together by: the attribute that it states, else
        itself, folded: `Lives_in` and "resides in" are `lives in`."""
        key = " ".join(name_key(predicate.replace("_", " ")).split())
        return self._by_predicate.get(key, key)

    def knows(self, predicate: str) -> bool:
        """Whether the table has what a predicate states."""
        return self.attribute_of(predicate) in self._row

    def predicates_of(self, attribute: str) -> tuple[str, ...]:
        """Every predicate that states the attribute, itself first."""
        others = sorted(p for p, name in self._by_predicate.items() if name == attribute)
        return tuple(dict.fromkeys((attribute, *others)))

    def named_by(self, noun: str) -> str:
        """The attribute that a noun names; empty where it names none of the table."""
        return self._by_noun.get(noun, noun if self._is_noun(noun) else "")

    def is_functional(self, predicate: str) -> bool:
        """Whether it has one value at a time, whatever the wording."""
        return predicate in self.functional or f"{predicate.partition(' ')[0]} *" in self.functional

    def words(self, predicate: str) -> str:
        """All words by which what a predicate states is told and asked for, itself first."""
        row = self._row.get(self.attribute_of(predicate))
        if row is None:
            return predicate
        return " ".join((predicate, row.name, *row.verbs, *row.nouns, row.asked))

    def wordings(self, predicate: str) -> str:
        """`words`, and those by which it begins and ends."""
        row = self._row.get(self.attribute_of(predicate))
        changes = (*row.begins, *row.ends) if row is not None else ()
        return " ".join((self.words(predicate), *changes))

    def has_one(self, predicate: str) -> bool:
        """Whether the table knows by verbs that there is one value at a time: where one lives."""
        row = self._row.get(self.attribute_of(predicate))
        return row is not None and bool(row.verbs and row.functional) and row.name != VALUE

    def has_several(self, predicate: str) -> bool:
        """Whether the table knows it as one of which there are several values at a time."""
        row = self._row.get(predicate)
        return predicate == "is" or (row is not None and not row.functional)

    def is_of_each(self, predicate: str) -> bool:
        """Whether what is said of "us" is said of the one who speaks."""
        row = self._row.get(predicate)
        return row is not None and row.of_each

    def are_alike(self, one: str, other: str, *, noun: bool) -> bool:
        """Whether the end of what one attribute says ends what another says of the same value.
        With `noun` the other is a noun's ("phone"), which tells of any thing that one has."""
        family = self._family(one)
        return one == other or (
            bool(family) and (family == self._family(other) or (noun and family == _TOOLS))
        )

    def _family(self, predicate: str) -> str:
        row = self._row.get(predicate)
        if row is not None:
            return row.family
        if predicate.startswith("is ") and predicate.endswith(" by"):
            return _CARE
        return _TOOLS if predicate.startswith(_KEEPING) else ""

    def _is_noun(self, name: str) -> bool:
        row = self._row.get(name)
        return row is not None and not row.verbs and not row.begins

    def _read_entries(self) -> dict[str, AttributePhrase]:
        found: dict[str, AttributePhrase] = {}
        for each in self.rows:
            for phrase in each.verbs:
                found.setdefault(phrase, AttributePhrase(each, "verbs"))
            for phrase in each.begins:
                found.setdefault(phrase, AttributePhrase(each, "begins"))
            for phrase in each.ends:
                found.setdefault(phrase, AttributePhrase(each, "ends"))
        return found

    def _read_predicates(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for each in self.rows:
            if each.name in _NO_OTHER_WORDS or each.inverse:
                continue
            for noun in each.nouns:
                known.setdefault(noun, each.name)
            for verb in each.verbs:
                first, _, rest = verb.partition(" ")
                if first != "be":
                    known.setdefault(f"{_third_person(first)} {rest}".strip(), each.name)
        for each in self.rows:
            known[each.name] = each.name
        for said in ("is set to", "is set at", "is scheduled for"):
            known[said] = VALUE
        return known


SHIPPED = Attributes()
"""The table without any additions."""
