"""What dated facts say to a question: the one that answers, and those that disagree with it.

The plan names them: a passage it holds for a fact has that fact's id, and its nearness is 1 for
the fact that answers, less for one that disagrees.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from quipu.facts.keys import is_row
from quipu.ports import Graph
from quipu.question import Question
from quipu.records.ids import kind_of
from quipu.records.passage import SPOKEN
from quipu.records.plan import Plan
from quipu.records.record import Fact
from quipu.records.reply import Hit
from quipu.when import find_days
from quipu.when.intervals import Interval, read_iso, shown

__all__ = ["is_by_grammar", "said", "timeless", "told_by", "undated"]

T = TypeVar("T")
_VERBS = frozenset(
    "is plays works holds attended joined left moved reports runs depends uses owns leads supports "
    "requires represents costs won released belongs lives teaches prefers likes eats drinks "
    "decided instructs needs maintains has not".split()
)
_BY_GRAMMAR = frozenset({"grammar", "change", "reported", "valued", "table"})
_NOT, _VALUE = "not ", "value"
_WITH_WE = {"is": "are", "has": "have", "goes": "go", "does": "do"}
_LONG = ("shes", "ches", "sses", "xes", "zes")


def told_by(plan: Plan, graph: Graph, state: Callable[[Fact], T | None]) -> tuple[list[T], list[T]]:
    """(what the answering facts state, what those that disagree state), by id."""
    near: dict[str, float] = {}
    for seed in plan.seeds:
        for record_id in seed.graph_ids:
            if kind_of(record_id) == "fact":
                proximity = seed.parts.get("graph_proximity", 0.0)
                near[record_id] = max(near.get(record_id, 0.0), proximity)
    records = graph.get(sorted(near))
    facts = [r for _, r in sorted(records.items()) if isinstance(r, Fact)]
    return (
        _stated([f for f in facts if near[f.fact_id] >= 1.0], state),
        _stated([f for f in facts if near[f.fact_id] < 1.0], state),
    )


def timeless(question: Question, hits: Sequence[Hit], *, now: str) -> Question:
    """The question without its dates where a dated fact took part, or turns, which have a time of
    their own: that holds then, and no passage has to say "2012"; else the question itself."""
    if hits and hits[0].why_ranked.profile == SPOKEN:
        return question.undated
    if not any(hit.temporal_context and not hit.temporal_context.superseded_by for hit in hits):
        return question
    if any(span.dated for span in question.spans):
        return question.undated
    return question.without(find_days(question.text, now=now))


def _stated(facts: Sequence[Fact], state: Callable[[Fact], T | None]) -> list[T]:
    return [found for fact in facts if (found := state(fact)) is not None]


def said(fact: Fact) -> str:
    """A fact as a sentence without its full stop: `Ann Lee plays for Alby (from 1990 to 1994)`."""
    start, end = (read_iso(date) if date else None for date in (fact.valid_from, fact.valid_to))
    interval = Interval(start, end)
    when = f" ({shown(interval)})" if interval != Interval() else ""
    return f"{undated(fact)}{when}"


def undated(fact: Fact) -> str:
    """A fact as a sentence that does not tell when it is so, without its full stop."""
    sentence = _sentence(fact, fact.subject, fact.predicate.replace("_", " "))
    first = sentence[0] if is_row(fact) else sentence[0].upper()
    return f"{first}{sentence[1:]}"


def is_by_grammar(fact: Fact) -> bool:
    """Whether grammar, or a table, told it, so that its parts make a sentence."""
    return fact.provenance.get("rule") in _BY_GRAMMAR


def _sentence(fact: Fact, subject: str, predicate: str) -> str:
    bare = predicate.removeprefix(_NOT)
    denied = bare != predicate
    if not is_by_grammar(fact):  # which knows what is a noun; of others, what is a verb
        if predicate.split(maxsplit=1)[0] not in _VERBS:
            return f"{predicate} of {subject}: {fact.object}"
    elif fact.provenance.get("noun"):
        verb = "was" if fact.valid_to else "is"
        whose = _possessive(subject if is_row(fact) else _subject(subject), bare)
        return f"{whose} {verb}{' not' if denied else ''} {fact.object}"
    if subject.casefold() == "we" or (is_by_grammar(fact) and _is_plural(subject)):
        bare = _plural(bare)
    purpose = fact.provenance.get("for")
    what = f"{fact.object} for {purpose}" if purpose else fact.object
    return f"{_subject(subject, fact)} {_denied(bare) if denied else bare} {what}"


def _subject(subject: str, fact: Fact | None = None) -> str:
    """With the article that was left out when the name was kept: "the user", "the retry limit"."""
    users = subject.startswith("user's ")
    lower = users or (subject == subject.lower() and " of " not in subject and "'" not in subject)
    several = _is_plural(subject) or subject.startswith("all ")
    ours = subject.casefold() == "we" or not subject[:1].isalpha()
    grammar = fact is None or is_by_grammar(fact)
    return f"the {subject}" if lower and grammar and not (ours or several) else subject


def _is_plural(subject: str) -> bool:
    """Whether a subject that is no name is of several: "logs", "all services"."""
    head = subject.partition(" of ")[0].split()[-1]
    return head == head.lower() and head.endswith("s") and not head.endswith(("ss", "us", "is"))


def _possessive(subject: str, noun: str) -> str:
    if noun == _VALUE:
        return subject
    if subject.casefold() == "we":
        return f"our {noun}"
    return f"{subject}'{'' if subject.endswith('s') else 's'} {noun}"


def _denied(predicate: str) -> str:
    """`does not drink` for `drinks`, `is not` for `is`."""
    verb, space, rest = predicate.partition(" ")
    if verb in ("is", "are", "has", "have"):
        return f"{verb} not{space}{rest}"
    plain = verb.removesuffix("es") if verb.endswith(("shes", "ches", "xes")) else verb[:-1]
    return f"does not {plain}{space}{rest}" if verb.endswith("s") else f"do not {verb}{space}{rest}"


def _plural(predicate: str) -> str:
    """With its verb as "we" has it: `use` for `uses`, `are based in` for `is based in`."""
    verb, space, rest = predicate.partition(" ")
    plain = verb[:-2] if verb.endswith(_LONG) else verb.removesuffix("s")
    plain = f"{verb[:-3]}y" if verb.endswith("ies") and len(verb) > len("dies") else plain
    return f"{_WITH_WE.get(verb) or plain}{space}{rest}"
