"""The offline writer: an answer made of what the graph states and the evidence's own sentences.

Nothing is invented: a relation is put into words by the table of `wording`, everything else is
quoted. Marks `[1,3]` stand before the full stop and count the evidence in order of first use.
"""

from collections.abc import Sequence
from typing import NamedTuple

from quipu.answer.choose import Choice, choose
from quipu.answer.gate import AnswerDraft, Evidence, is_turn, words_of
from quipu.answer.kinds import AnswerStatement, Likely, answers_of_kinds
from quipu.answer.limitations import POSSESSIVE, says
from quipu.answer.nearness import Nearness
from quipu.answer.quote import code_lead, code_span, is_open, plain
from quipu.answer.statements import state
from quipu.answer.support import facts_of, replacements
from quipu.answer.yes_or_no import agrees
from quipu.facts.attributes import SHIPPED
from quipu.facts.fit import is_of_another, is_of_neighbour
from quipu.facts.keys import asked_by
from quipu.ports import Embedder, Graph, Planner
from quipu.question import Question
from quipu.records.passage import ASSISTANT
from quipu.records.plan import Plan
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.text import looks_like_identifier, stems

__all__ = ["superseded", "write"]

_STATEMENT_LIMIT = 900
_ENOUGH = 0.75
_PARTLY = 0.65
_HALF = 0.5
_CERTAIN = 0.4
"""How sure it must be that a turn affirms or denies, in [0, 1], to say so."""
_OWN = frozenset("i me my mine myself".split())
_AS_LIKELY = 0.5
_DAY = len("2026-01-01")


class _Page:
    """Sentences with marks, and the evidence in the order of the marks."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.evidence: list[Evidence] = []

    def add(self, text: str, evidence: Sequence[Evidence]) -> str:
        """Write one sentence down; gives its marks."""
        mark = self._mark(evidence)
        self.sentences.append(_marked(text, mark))
        return mark

    def show(self, text: str, evidence: Sequence[Evidence]) -> None:
        """Write a place down, with the lines that stand there: its mark is behind the place."""
        place, line_end, lines = text.partition("\n")
        self.sentences.append(f"{place} {self._mark(evidence)}{line_end}{lines}")

    @property
    def text(self) -> str:
        """All of it: places and blocks in lines of their own, sentences one after another."""
        apart = any("\n" in each for each in self.sentences)
        return "\n".join(self.sentences) if apart else _joined(self.sentences)

    def _mark(self, evidence: Sequence[Evidence]) -> str:
        numbers = sorted({self._number(each) for each in evidence})
        return f"[{','.join(map(str, numbers))}]"

    def _number(self, each: Evidence) -> int:
        for n, known in enumerate(self.evidence):
            if known.id == each.id:
                united = tuple(dict.fromkeys((*known.graph_ids, *each.graph_ids)))
                self.evidence[n] = known._replace(graph_ids=united)
                return n + 1
        self.evidence.append(each)
        return len(self.evidence)


class _Chosen(NamedTuple):
    """What is told: statements that explain a share of the question, or else the quoted choices;
    and what is near the question."""

    statements: Sequence[AnswerStatement]
    explained: float
    choices: Sequence[Choice] = ()
    near: Nearness | None = None
    likely: Likely | None = None


def write(
    asked: Question,
    question: Question,
    plan: Plan,
    graph: Planner,
    evidence: Sequence[Evidence],
    *,
    now: str,
    embedder: Embedder | None = None,
) -> AnswerDraft | None:
    """The answer that the evidence gives, or None when it says nothing to the question: `asked` is
    what of the `question` a passage has to say, without its dates where facts or turns have one."""
    listings = (each.listed(plan, graph, evidence, now=now) for each in answers_of_kinds())
    of_all = next((listed for listed in listings if listed is not None), None)
    if of_all is None:
        statements = state(asked, question, plan, graph, evidence)
    elif of_all.evidence:
        statements = [of_all]
    else:
        return None
    chosen = _chosen(
        asked, question, plan.scope, graph, evidence, statements, now=now, embedder=embedder
    )
    page, disagreements = _Page(), list[str]()
    for statement in chosen.statements:
        disagreements += _state(page, statement)
    _add_documentation(page, chosen.statements)
    for n, choice in enumerate(() if chosen.statements else chosen.choices):
        if choice.placed:
            page.show(choice.text, choice.evidence)
        else:
            told = choice.text if n else _replying(chosen.choices, question, chosen.likely)
            page.add(told, choice.evidence)
    if not page.sentences:
        return None
    return _draft(asked, page, chosen, graph, disagreements)


def _draft(
    asked: Question, page: _Page, chosen: _Chosen, graph: Planner, disagreements: Sequence[str]
) -> AnswerDraft:
    statements, choices, explained = chosen.statements, chosen.choices, chosen.explained
    answer = page.text
    first = max(choices, key=lambda c: c.worth) if choices and not statements else None
    return AnswerDraft(
        answer=answer,
        evidence=tuple(page.evidence),
        stated=explained if explained >= _ENOUGH else 0.0,
        unexplained=1 - explained if statements else 0.0,
        subject=_subject(asked, page.evidence),
        coverage=_coverage(asked, answer, page.evidence),
        similarity=max((c.similarity for c in choices if c.similarity is not None), default=None),
        worth=first.worth if first else None,
        likely=_likelihood(chosen, page.evidence),
        margin=first.margin if first else None,
        met=chosen.near.met(_quoted(first, choices)) if first and chosen.near else None,
        absent=_absent(asked, choices if is_turn(first.evidence[0]) else [first])
        if first
        else None,
        plain=_is_plain(asked, _quoted(first, choices), first.evidence[0]) if first else None,
        unvouched=float(first is not None and _is_unvouched(asked, choices, chosen.likely)),
        disagreements=tuple(disagreements),
        remarks=superseded(graph, page.evidence),
    )


def _is_unvouched(asked: Question, choices: Sequence[Choice], sure: Likely | None) -> bool:
    """Whether what somebody asks of themselves is told by an assistant alone, who knows it from
    nobody ("what do I charge?" – "£2 is common"), or turns tell neither the yes nor the no that is
    asked for."""
    first = choices[0].evidence[-1]
    if not is_turn(first):
        return False
    if asked.takes_yes_or_no and not _reply(choices, asked, sure):
        return True
    return bool(_OWN & asked.words) and _speaker(first) == ASSISTANT


def _likelihood(chosen: _Chosen, cited: Sequence[Evidence]) -> float | None:
    """How likely what is cited answers; of a fact also what states those beside it in its chain:
    their words tell that one of them does, and the chain which."""
    if chosen.likely is None:
        return None
    others = [id_ for statement in chosen.statements for id_ in sorted(statement.others)]
    return min(chosen.likely.of(cited, others), 1.0)


def _quoted(first: Choice, choices: Sequence[Choice]) -> str:
    """What is quoted and compared with the question: of files the best lines, of turns all."""
    if not is_turn(first.evidence[0]):
        return first.quoted
    return "\n".join(choice.quoted for choice in choices)


def _absent(asked: Question, choices: Sequence[Choice]) -> float:
    """The share of what the question names that is neither quoted nor stands in what is cited."""
    cited = [each for choice in choices for each in choice.evidence]
    whole = "\n".join(
        (*(c.quoted for c in choices), *(f"{e.path}\n{e.title}\n{e.text}" for e in cited))
    )
    names = [n for n in asked.names if looks_like_identifier(n) or any(map(str.isupper, n))]
    absent = [n for n in names if not _stands(POSSESSIVE.sub("", n), whole)]
    return len(absent) / len(names) if names else 0.0


def _stands(name: str, text: str) -> bool:
    return says(text, name) or says(text, name.rpartition(".")[2].removesuffix("()"))


def _is_plain(asked: Question, quoted: str, cited: Evidence) -> float:
    """1 where neither what is quoted nor the question shows code: near words of prose often say
    something else."""
    names = (n for n in asked.names if looks_like_identifier(n))
    return float(not (cited.is_code or "`" in quoted or any(names)))


def _chosen(
    asked: Question,
    question: Question,
    scope: Scope,
    graph: Planner,
    evidence: Sequence[Evidence],
    statements: Sequence[AnswerStatement],
    *,
    now: str,
    embedder: Embedder | None,
) -> _Chosen:
    """What the graph states, as far as it explains the question, or else what is quoted; a fact
    that turns state only where none of the others is much likelier to answer, or about as likely
    and said later."""
    explained = max((s.explained for s in statements), default=0.0)
    spoken = bool(statements) and all(is_turn(e) for s in statements for e in s.evidence)
    if explained >= _ENOUGH and not (spoken and embedder):
        return _Chosen(statements, explained)
    read = _holding(question, evidence)
    for each in answers_of_kinds():
        read = each.present(question, graph, read, now=now)
    near = Nearness(asked, read, graph, embedder) if embedder and read else None
    sure = _likely(question, scope, read, graph, embedder)
    choices = choose(asked, question, read, near, planner=graph, scope=scope, likely=sure)
    quoted = _Chosen((), 0.0, choices, near, sure)
    if explained >= _ENOUGH:
        open_ = bool(choices) and not any(s.replies for s in statements)
        doubted = open_ and sure and _is_doubted(asked, statements, choices[0], sure)
        return quoted if doubted else _Chosen(statements, explained, (), near, sure)
    said_more = bool(choices) and _said(asked, choices) >= explained
    if explained < _PARTLY or said_more:
        return quoted
    return _Chosen(statements, explained, choices, near, sure)


def _is_doubted(
    asked: Question, statements: Sequence[AnswerStatement], choice: Choice, sure: Likely
) -> bool:
    """Whether another turn is much likelier to answer than those that state a fact, or what stands
    beside it in its chain, or is about as likely and was said later: "I charge 620", and "put my
    rate up, 680 from now on"."""
    told = max(sure.of(statement.evidence, statement.others) for statement in statements)
    if told < _AS_LIKELY * sure.surest():
        return True
    newest = choice.evidence[-1]
    if asked.of_past or not is_turn(newest):
        return False
    stated = {e.id for s in statements for e in s.evidence}.union(*(s.others for s in statements))
    last = max(e.updated_at for s in statements for e in s.evidence)
    return newest.id not in stated and newest.updated_at > last


def _likely(
    question: Question,
    scope: Scope,
    read: Sequence[Evidence],
    graph: Planner,
    embedder: Embedder | None,
) -> Likely | None:
    """How likely passages answer, by the first kind of source that knows."""
    if embedder is None:
        return None
    for each in answers_of_kinds():
        known = each.likely(question, read, graph, embedder, scope=scope)
        if known is not None:
            return known.without(_of_others(question, known, graph))
    return None


def _of_others(question: Question, sure: Likely, graph: Planner) -> frozenset[str]:
    """The ids of turns that state what is asked of somebody or something else alone, or only what
    is of another thing that is named by the same word."""
    asked, found = question.stem_set, set[str]()
    for id_, facts in facts_of([*sure.read], graph).items():
        told = [fact for fact in facts if asked & set(stems(asked_by(fact, SHIPPED)))]
        if (told and all(is_of_another(question, fact) for fact in told)) or (
            facts and all(is_of_neighbour(question, fact) for fact in facts)
        ):
            found.add(id_)
    return frozenset(found)


def _state(page: _Page, statement: AnswerStatement) -> list[str]:
    """Write a statement down, and what other sources say; gives these disagreements."""
    stated = plain(statement.text, limit=_STATEMENT_LIMIT)
    mark = page.add(stated, statement.evidence)
    found: list[str] = []
    for other in statement.against:
        said = plain(other.text, limit=_STATEMENT_LIMIT)
        theirs = page.add(f"Another source says: {said}", other.evidence)
        found.append(f"{plain(statement.text)} {mark}, but {said} {theirs}")
    return found


def _replying(choices: Sequence[Choice], question: Question, sure: Likely | None) -> str:
    """What is quoted, behind the yes or no that it replies."""
    reply = _reply(choices, question, sure)
    return f"{reply}: {choices[0].text}" if reply else choices[0].text


def _reply(choices: Sequence[Choice], question: Question, sure: Likely | None) -> str:
    """The yes or no that the first turn replies; "" where that is not certain, or what else of its
    day is quoted does not agree."""
    first = choices[0].evidence[-1]
    if sure is None or not is_turn(first) or not question.takes_yes_or_no:
        return ""
    read = [sure.read[e.id] for e in choices[0].evidence if e.id in sure.read]
    affirms = max(read, key=lambda each: each.answers).affirms if read else _HALF
    if abs(2 * affirms - 1) < _CERTAIN:
        return ""
    reply = "Yes" if affirms > _HALF else "No"
    day = first.updated_at[:_DAY]
    of_day = [each.quoted for each in choices if each.evidence[-1].updated_at[:_DAY] == day]
    return reply if all(agrees(reply, question, quoted) for quoted in of_day) else ""


def _speaker(turn: Evidence) -> str:
    return turn.title.rpartition(",")[0]


def _holding(question: Question, evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """The passages without those of which nothing holds any more, unless the past is asked for."""
    if question.of_past:
        return evidence
    return [each for each in evidence if not each.outdated or is_turn(each)]


def _add_documentation(page: _Page, statements: Sequence[AnswerStatement]) -> None:
    """Where a definition was asked for, what its documentation says of it."""
    for statement in statements:
        if statement.kind == RelationType.DEFINED_IN and statement.evidence:
            first = statement.evidence[0]
            signature, documentation = code_lead(first.text) if first.is_code else ("", "")
            if signature and documentation:
                page.add(f"{code_span(signature)}: {documentation}", [first])


def superseded(graph: Graph, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """That a cited document is superseded by another, in words."""
    documents = {e.document_id: n for n, e in reversed(list(enumerate(evidence, 1)))}
    documents.pop("", None)
    newer = replacements(graph, documents)
    return tuple(
        f"The source of [{documents[document]}] has been superseded by {newer[document]}."
        for document in sorted(newer, key=lambda d: documents[d])
    )


def _said(asked: Question, choices: Sequence[Choice]) -> float:
    """The share of the question's content words in what is quoted and its titles."""
    said = {s for c in choices for s in stems(f"{c.text} {c.evidence[0].title}")}
    return len(said & asked.stem_set) / len(asked.stems) if asked.stems else 0.0


def _subject(asked: Question, evidence: Sequence[Evidence]) -> float | None:
    if not asked.subject:
        return None
    said = {s for e in evidence for s in words_of(e)}
    return len(said & set(asked.subject)) / len(asked.subject)


def _coverage(asked: Question, answer: str, evidence: Sequence[Evidence]) -> float:
    if not asked.stems:
        return 0.0
    said = set(stems(f"{answer} {' '.join(e.title for e in evidence)}"))
    said |= {s for e in evidence if e.is_code or is_turn(e) for s in stems(e.text)}
    return len(said & asked.stem_set) / len(asked.stems)


def _joined(sentences: Sequence[str]) -> str:
    """The sentences one after another; one that leaves backticks open stands between blank lines,
    lest the next is code with it."""
    answer = ""
    for n, each in enumerate(sentences):
        apart = any(map(is_open, sentences[max(n - 1, 0) : n + 1]))
        answer += each if not n else f"\n\n{each}" if apart else f" {each}"
    return answer


def _marked(text: str, mark: str) -> str:
    """`text` as a sentence with `mark` before its full stop."""
    if text[-1:] in "!?…":
        return f"{text} {mark}."
    return f"{text.rstrip('.;:, ')} {mark}."
