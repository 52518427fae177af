"""What answering asks of the kinds of source: what only they know how to say."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from quipu.answer.formula import ConfidenceFormula
from quipu.answer.gate import AnswerDraft, Evidence
from quipu.answer.support import EvidencePool
from quipu.answer.worth import Candidate
from quipu.kind import parts
from quipu.ports import Embedder, Graph, Planner
from quipu.question import Question
from quipu.records.plan import Plan
from quipu.records.record import Entity, Fact, Relation
from quipu.records.reply import Hit
from quipu.records.scope import Scope

__all__ = [
    "AnswerStatement",
    "Answers",
    "Likely",
    "Quotation",
    "Read",
    "answers_of_kinds",
    "of_one_kind",
    "read_of",
]


class AnswerStatement(NamedTuple):
    """A sentence without its full stop, what it rests on, and what speaks against it;
    `explained` is the share of the question that it explains, `authority` the rank of the highest
    role that asserts it; `fact` is the dated fact that it tells, and `replies` says that it does so
    by yes or no; `others` are the ids of the passages that state what it took the place of, or what
    took its own; `names` are further words that explain the question as its own do, such as the
    names of what it shows by its path."""

    text: str
    evidence: tuple[Evidence, ...]
    against: tuple["AnswerStatement", ...] = ()
    kind: str = "fact"
    explained: float = 1.0
    authority: int = 0
    fact: Fact | None = None
    replies: bool = False
    others: frozenset[str] = frozenset()
    names: str = ""


class Read(NamedTuple):
    """What was made of a passage: how likely it `answers`; its `worth` to be quoted, its search
    included; how likely it says yes, where yes or no is asked for; the `sentence` that would
    answer (empty: nobody knows which)."""

    answers: float
    worth: float
    affirms: float
    sentence: str


class Likely(NamedTuple):
    """How likely each passage that was read answers, by its id: they share 1 with "none does"."""

    read: Mapping[str, Read]

    def of(self, evidence: Sequence[Evidence], others: Iterable[str] = ()) -> float:
        """How likely one of some passages answers, or of `others` by their ids, in [0, 1]."""
        ids = dict.fromkeys((*(each.id for each in evidence), *others))
        return sum(self.read[id_].answers for id_ in ids if id_ in self.read)

    def surest(self, ids: Iterable[str] | None = None) -> float:
        """How likely the likeliest of some passages answers, or of all."""
        some = self.read if ids is None else ids
        return max((self.read[id_].answers for id_ in some if id_ in self.read), default=0.0)

    def without(self, ids: Collection[str]) -> "Likely":
        """Without some passages: they do not answer, and are the last that are quoted."""
        none = {id_: self.read[id_]._replace(answers=0.0, worth=0.0) for id_ in ids}
        return Likely({**self.read, **none})


class Quotation(NamedTuple):
    """What is quoted, the passages that it stands in, and what it is worth by."""

    text: str
    evidence: tuple[Evidence, ...]
    by: Candidate


class Answers:
    """What a kind of source says to a question. A kind overrides what it knows more of; the rest
    says nothing."""

    reads: int = 0
    """How many passages it reads for an answer where it is of its sources."""
    formulas: tuple[ConfidenceFormula, ...] = ()
    """How sure an answer is where a formula's own condition holds; the first that does counts."""

    def is_of(self, hit: Hit) -> bool:
        """Whether a passage is of its sources."""
        return False

    def settled(self, asked: Question, plan: Plan, graph: Planner) -> Sequence[AnswerStatement]:
        """What answers for good, whatever else was found."""
        return ()

    def listed(
        self, plan: Plan, graph: Planner, found: Sequence[Evidence], *, now: str
    ) -> AnswerStatement | None:
        """What answers a question about all things of this kind; without evidence, that there are
        none. None for another question."""
        return None

    def stated(
        self, asked: Question, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """What its sources say where no dated fact answers, the answer first."""
        return ()

    def named(self, asked: Question, graph: Graph, evidence: Sequence[Evidence]) -> Collection[str]:
        """The names in the question that it knows though nothing else does."""
        return ()

    def led_to(
        self, asked: Question, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
    ) -> Sequence[tuple[str, Relation]]:
        """Relations of parts of what is asked about, each after the record that it is a part of."""
        return ()

    def in_force(self, graph: Graph, relations: Sequence[Relation]) -> list[Relation]:
        """The relations, but those that do not hold any more."""
        return list(relations)

    def present(
        self, question: Question, graph: Graph, found: Sequence[Evidence], *, now: str
    ) -> list[Evidence]:
        """The passages, but those that speak of a past that is not asked about."""
        return list(found)

    def likely(
        self,
        question: Question,
        evidence: Sequence[Evidence],
        planner: Planner,
        embedder: Embedder,
        *,
        scope: Scope,
    ) -> Likely | None:
        """How likely passages answer, where the best of them is of its sources; None where nobody
        knows."""
        return None

    def quoted(
        self,
        ordered: Sequence[Candidate],
        planner: Planner,
        *,
        question: Question,
        scope: Scope,
        likely: Likely | None,
    ) -> Sequence[Quotation]:
        """How its sources are quoted, where the best of what may be quoted (`ordered`) is of them
        and is not quoted line by line; nothing elsewhere."""
        return ()

    def is_evidence(self, document: Entity) -> bool:
        """Whether the passages of a document may be quoted."""
        return True

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """The inputs of confidence that are other where only its sources are cited."""
        return {}


@cache
def answers_of_kinds() -> tuple[Answers, ...]:
    """What the kinds bring to an answer."""
    return parts("answer", Answers)


def read_of(hits: Sequence[Hit], shown: int) -> tuple[Hit, ...]:
    """The passages that are read for an answer: those that are shown and, of a kind that some of
    them are of, as many of its sources as it reads."""
    read = list(hits[:shown])
    for each in answers_of_kinds():
        own = sum(map(each.is_of, read))
        more = each.reads - own if own else 0
        read += [hit for hit in hits[shown:] if each.is_of(hit)][: max(more, 0)]
    return tuple(read)


def of_one_kind(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Those of a kind that reads more than is shown, where others stand among them; else none."""
    for each in answers_of_kinds():
        own = tuple(filter(each.is_of, hits)) if each.reads else ()
        if 0 < len(own) < len(hits):
            return own
    return ()
