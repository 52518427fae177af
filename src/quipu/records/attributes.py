"""The table of attributes: which wordings say one and the same thing of somebody or something.

A fact's key is its owner and its attribute, whatever words stated it: who "lives in" a place, "is
based in" it or "moved to" it has one home. What is not in the table is keyed by its own verb or
noun. A predicate is a verb in the third person with what belongs to it ("lives in"), or a noun.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from quipu.text import name_key

__all__ = [
    "ATTRIBUTES",
    "SEVERAL",
    "Attribute",
    "are_alike",
    "attribute_of",
    "phrase_of",
    "predicates_of",
    "third_person",
]


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
    functional: bool = False
    inverse: str = ""
    values: frozenset[str] = frozenset()
    """What only this attribute has: "vegan" tells that it is the diet."""


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip() for word in text.split(","))


ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "lives in",
        verbs=("live in", "live at", "reside in", "dwell in", "be based in", "be base in",
               "be settle in"),
        begins=("move to", "relocate to", "resettle in", "settle in", "move back to",
                "move over to", "move house to", "emigrate to", "settle down in"),
        nouns=("residence", "place of residence", "home address"),
        functional=True,
    ),
    Attribute(
        "works for",
        verbs=("work for", "work at", "be employ by", "be employ at"),
        begins=("join", "start at", "start work at", "start work for", "sign on with",
                "be hire by", "be hire at", "start job at", "take job at", "take job with",
                "get job at", "take position at", "land job at", "accept job at", "begin at",
                "move to company"),
        ends=("leave", "quit", "resign from", "be fire from", "be lay off from", "retire from",
              "quit job at", "leave job at", "lose job at", "lose job with"),
        nouns=("employer",),
        functional=True,
    ),
    Attribute(
        "works as",
        verbs=("work as", "be employ as"),
        begins=("become", "be promote to", "be hire as", "start as", "be make", "take job as",
                "take position as", "get job as", "start job as"),
        nouns=("occupation", "profession", "job title"),
        functional=True,
    ),
    Attribute(
        "is owned by",
        verbs=("be own by", "belong to", "be responsibility of"),
        begins=("be take over by", "be hand over to", "pass to", "be hand to", "be transfer to",
                "be assign to"),
        nouns=("owner",),
        functional=True,
    ),
    Attribute(
        "owns",
        verbs=("own", "be responsible for", "be in charge of", "look after"),
        begins=("take over", "take charge of", "take on"),
        ends=("hand over",),
        inverse="is owned by",
    ),
    Attribute(
        "is led by",
        verbs=("be lead by", "be head by", "be run by", "be manage by"),
        functional=True,
    ),
    Attribute("leads", verbs=("lead", "head", "manage"), inverse="is led by"),
    Attribute(
        "reports to", verbs=("report to",), begins=("start report to",), functional=True,
    ),
    Attribute(
        "runs on",
        verbs=("run on", "run", "be host on", "be deploy on", "be deploy to", "be run on"),
        begins=("move onto", "be move to", "be migrate to", "be port to"),
        functional=True,
    ),
    Attribute(
        "uses",
        verbs=("use", "rely on"),
        begins=("switch to", "migrate to", "move over to", "change to", "change over to",
                "go with", "settle on", "decide on", "adopt", "opt for", "standardize on",
                "standardise on", "transition to", "convert to", "upgrade to", "start use",
                "choose", "pick", "go for", "go over to"),
        ends=("drop", "abandon", "ditch", "stop use", "move away from", "get rid of", "retire",
              "phase out", "decommission", "sunset"),
    ),
    Attribute(
        "is due on",
        verbs=("be due on", "be due", "be due by"),
        nouns=("deadline", "due date"),
        functional=True,
    ),
    Attribute(
        "value",
        verbs=("be set to", "be set at", "be cap at", "be limit to",
               "be schedule for", "be schedule on", "be plan for", "be set for", "be on", "be for",
               "take place on", "take place", "happen on", "be hold on", "start on", "start at",
               "be at", "take place at", "be slate for"),
        begins=("be move to", "be postpone to", "be postpone until", "be push to", "slip to",
                "be push back to", "be reschedule to", "be reschedule for", "be delay to",
                "be delay until", "be bring forward to"),
        functional=True,
    ),
    Attribute(
        "is located in",
        verbs=("be locate in", "be locate at", "be situate in", "be in", "sit in", "stand in"),
        nouns=("location",),
        functional=True,
    ),
    Attribute("is married to", verbs=("be marry to",), begins=("marry",), ends=("divorce",),
              nouns=("wife", "husband", "spouse"), functional=True),
    Attribute("is engaged to", verbs=("be engage to",), begins=("get engage to",),
              nouns=("fiancé", "fiancée", "fiance", "fiancee"), functional=True),
    Attribute("dates", verbs=("date", "go out with", "be together with", "see"),
              nouns=("partner", "girlfriend", "boyfriend"), functional=True),
    Attribute(
        "diet", nouns=("diet",), functional=True,
        values=_words("vegetarian, vegan, pescatarian, omnivore, gluten-free, keto, kosher, halal, "
                      "a vegetarian, a vegan, a pescatarian, plant-based, lactose intolerant"),
    ),
    Attribute(
        "marital status", functional=True,
        values=_words("single, married, engaged, divorced, widowed, separated"),
    ),
    Attribute(
        "status", nouns=("status",), functional=True,
        values=_words("deprecated, disabled, enabled, archived, retired, broken, offline, online, "
                      "open, closed, paused, cancelled, canceled, finished, done, complete, "
                      "completed, blocked, approved, rejected, read-only, live, down, green, red, "
                      "frozen, obsolete, abandoned, unmaintained, shipped, released, on hold, "
                      "unstable, stable, deferred, pending, mandatory, optional, unsupported"),
    ),
    Attribute(
        "is allergic to", verbs=("be allergic to", "have allergy to"),
        begins=("develop allergy to",),
    ),
    Attribute("is intolerant to", verbs=("be intolerant to", "be intolerant of")),
    Attribute("is afraid of", verbs=("be afraid of", "be scare of", "be terrify of")),
    Attribute("is called", verbs=("be call", "be name", "go by"), begins=("be rename to",
              "be rename"), functional=True),
    Attribute("is from", verbs=("be from", "come from", "hail from", "be original from"),
              begins=("be bear in", "grow up in")),
    Attribute(
        "likes", verbs=("like", "love", "enjoy", "adore", "be fond of", "be into",
                        "be a fan of", "be fan of", "be keen on"),
        begins=("fall in love with", "get into"), ends=("go off",),
    ),
    Attribute("not likes", verbs=("hate", "dislike", "detest", "loathe", "despise")),
    Attribute("prefers", verbs=("prefer", "favor", "favour")),
    Attribute("speaks", verbs=("speak", "be fluent in")),
    Attribute("studies", verbs=("study", "major in", "be enrol in", "be enroll in")),
    Attribute("attends", verbs=("attend", "study at", "go to school at", "be a student at"),
              functional=True),
    Attribute("plays", verbs=("play",), begins=("take up",)),
    Attribute("plays for", verbs=("play for",), begins=("sign for", "sign with"), functional=True),
    Attribute("drives", verbs=("drive",), functional=True),
    Attribute("costs", verbs=("cost", "be price at"), nouns=("price", "cost"), functional=True),
    Attribute("is written in", verbs=("be write in",), begins=("be rewrite in",),
              functional=True),
    Attribute("is maintained by", verbs=("be maintain by",), nouns=("maintainer",),
              functional=True),
    Attribute("maintains", verbs=("maintain",), inverse="is maintained by"),
    Attribute("age", begins=("turn",), nouns=("age",), functional=True),
    Attribute("eats", verbs=("eat",)),
    Attribute("drinks", verbs=("drink",)),
    Attribute("depends on", verbs=("depend on",)),
    Attribute("supports", verbs=("support",), ends=("drop support for", "stop support")),
    Attribute("requires", verbs=("require", "need")),
    Attribute("has", verbs=("have",),
              begins=("get", "adopt", "buy", "purchase", "acquire", "receive"),
              ends=("lose", "sell", "return", "give away", "get rid of")),
)  # fmt: skip
"""The attributes that come with Quipu; the configuration may add others."""

_ALIKE = (
    frozenset({"uses", "runs on", "has", "drives", "is stored in", "is kept in"}),
    frozenset({"is owned by", "is led by", "is maintained by"}),
)
"""Attributes of which one may be told of by another's words: who moved from X used X, or ran on
it."""


def are_alike(one: str, other: str, *, noun: bool) -> bool:
    """Whether the end of what one attribute says ends what another says of the same value. With
    `noun` the other is a noun's ("phone"), which tells of any thing that somebody has."""
    if one == other:
        return True
    return any(one in group and (noun or other in group) for group in _ALIKE)


SEVERAL = _words(
    "sister, brother, sibling, friend, colleague, coworker, co-worker, child, son, daughter, kid, "
    "cousin, aunt, uncle, nephew, niece, cat, dog, pet, grandchild, teammate, neighbour, neighbor, "
    "hobby, allergy, preference, goal, plan, problem, issue, idea, example, reason, part, member, "
    "thing, one, feature, step, rule, point, question, concern, advantage, challenge, task"
)
"""Nouns of which somebody may have several at once: "my sister is Ann" ends no other sister."""

_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}


def third_person(lemma: str) -> str:
    """`uses` for "use"."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"


def phrase_of(words: Iterable[str]) -> str:
    """A phrase as the table writes it."""
    return " ".join(word for word in words if word)


@cache
def predicates_of(attribute: str) -> tuple[str, ...]:
    """Every predicate that states the attribute, itself first."""
    others = sorted(p for p, name in _by_predicate().items() if name == attribute)
    return tuple(dict.fromkeys((attribute, *others)))


@cache
def _by_predicate() -> dict[str, str]:
    known: dict[str, str] = {}
    for each in ATTRIBUTES:
        if each.name in ("has", "likes", "not likes") or each.inverse:
            continue
        for noun in each.nouns:
            known.setdefault(noun, each.name)
        for verb in each.verbs:
            first, _, rest = verb.partition(" ")
            if first != "be":
                known.setdefault(f"{third_person(first)} {rest}".strip(), each.name)
    for each in ATTRIBUTES:
        known[each.name] = each.name
    for said in ("is set to", "is set at", "is scheduled for", "is due on"):
        known[said] = "value" if said != "is due on" else said
    return known


def attribute_of(predicate: str) -> str:
    """What the facts of a predicate are kept together by: the attribute of the table that it
    states, else itself, folded: `Lives_in` and "resides in" are `lives in`."""
    key = " ".join(name_key(predicate.replace("_", " ")).split())
    return _by_predicate().get(key, key)
