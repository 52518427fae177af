"""The offline writer: an answer made of what the graph states and the evidence's own sentences.

Nothing is invented: a relation is put into words by the table of `wording`, everything else is
quoted. Marks `[1,3]` stand before the full stop and count the evidence in order of first use.
"""

import re
from collections.abc import Sequence

from quipu.answer.agreement import agreement
from quipu.answer.answer_type import KIND_WORDS, head_noun, holds
from quipu.answer.choose import ALONE, VALUES, Choice, choose
from quipu.answer.constants import stands_for
from quipu.answer.decisions import decisions
from quipu.answer.gate import AnswerDraft, Evidence, words_of
from quipu.answer.intent import AnswerType, Asked, wants
from quipu.answer.kinds import AnswerStatement, listed, present
from quipu.answer.limitations import says
from quipu.answer.nearness import Nearness
from quipu.answer.quote import code_lead, defined, plain
from quipu.answer.statements import state
from quipu.answer.support import EvidencePool
from quipu.ports import Embedder, Graph, Planner
from quipu.records.plan import Plan
from quipu.records.schema import RelationType
from quipu.text import looks_like_identifier, name_key, stems, stems_in_parts

__all__ = ["superseded", "write"]

_PAST = re.compile(
    r"\b(?:originally|initially|at first|before|previous(?:ly)?|used to|earlier|ago|did|was|were|"
    r"had|old|formerly|since|until|history|changed?|first|back then|last)\b|\b(?:19|20)\d\d\b"
)
_STATEMENT_LIMIT = 900
_ENOUGH = 0.75
_PARTLY = 0.65
_HALF = 0.5
_DOUBT = 0.3
_NEEDED: frozenset[AnswerType] = frozenset({"reason", "number", "person", "time"})
_PASSED = 0.5


class _Page:
    """Sentences with marks, and the evidence in the order of the marks."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.evidence: list[Evidence] = []

    def add(self, text: str, evidence: Sequence[Evidence]) -> str:
        """Write one sentence down; gives its marks."""
        numbers = sorted({self._number(each) for each in evidence})
        mark = f"[{','.join(str(n) for n in numbers)}]"
        self.sentences.append(_marked(text, mark))
        return mark

    def _number(self, each: Evidence) -> int:
        for n, known in enumerate(self.evidence):
            if known.id == each.id:
                united = tuple(dict.fromkeys((*known.graph_ids, *each.graph_ids)))
                self.evidence[n] = known._replace(graph_ids=united)
                return n + 1
        self.evidence.append(each)
        return len(self.evidence)


def write(
    asked: Asked,
    plan: Plan,
    graph: Planner,
    evidence: Sequence[Evidence],
    *,
    now: str,
    embedder: Embedder | None = None,
) -> AnswerDraft | None:
    """The answer that the evidence gives, or None when it says nothing to the question."""
    page = _Page()
    disagreements: list[str] = []
    of_all = listed(plan, graph, evidence, now=now)
    if of_all is None:
        statements = state(asked, plan, graph, evidence, now=now)
    elif of_all.evidence:
        statements = [of_all]
    else:
        return None
    explained = max((s.explained for s in statements), default=0.0)
    choices: list[Choice] = []
    near: Nearness | None = None
    if explained < _ENOUGH:
        open_ = _holding(plan.question, present(plan.question, graph, evidence, now=now))
        near = Nearness(asked.text, open_, graph, embedder) if embedder and open_ else None
        choices = choose(asked, open_, near, decisions=decisions(asked, graph, open_))
        kind_given = asked.kind is not None and not _lacking(asked, choices)
        said_more = choices and (kind_given or _said(asked, choices) >= explained)
        if explained < _PARTLY or said_more:
            statements, explained = [], 0.0
    for statement in statements:
        stated = plain(statement.text, limit=_STATEMENT_LIMIT)
        shown = f"{stated}\n{statement.quoted}" if statement.quoted else stated
        mark = page.add(shown, statement.evidence)
        for other in statement.against:
            said = plain(other.text, limit=_STATEMENT_LIMIT)
            theirs = page.add(f"Another source says: {said}", other.evidence)
            disagreements.append(f"{plain(statement.text)} {mark}, but {said} {theirs}")
    _add_documentation(page, statements)
    for choice in () if statements else choices:
        page.add(choice.text, choice.evidence)
        if asked.kind in VALUES:
            for said, sources in stands_for(choice, graph, EvidencePool(evidence, plan.scope)):
                page.add(said, sources)
    if not page.sentences:
        return None
    outdated = superseded(graph, page.evidence)
    answer = _joined(page.sentences)
    first = choices[0] if choices and not statements else None
    return AnswerDraft(
        answer=answer,
        evidence=tuple(page.evidence),
        stated=explained if explained >= _ENOUGH else 0.0,
        unexplained=1 - explained if statements else 0.0,
        subject=_subject(asked, page.evidence),
        coverage=_coverage(asked, answer, page.evidence),
        similarity=max((c.similarity for c in choices if c.similarity is not None), default=None),
        lacking=0.0 if statements else _lacking(asked, choices),
        worth=first.worth if first else None,
        margin=first.margin if first else None,
        agreement=agreement(asked, first.quoted, near, first.evidence) if first else None,
        disagreements=tuple(disagreements),
        remarks=outdated,
    )


def _holding(question: str, evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """The passages without those of which nothing holds any more, unless the past is asked for."""
    if _PAST.search(question.lower()):
        return evidence
    return [each for each in evidence if not each.outdated]


def _add_documentation(page: _Page, statements: Sequence[AnswerStatement]) -> None:
    """Where a definition was asked for, what its documentation says of it."""
    for statement in statements:
        if statement.kind == RelationType.DEFINED_IN and statement.evidence:
            first = statement.evidence[0]
            signature, documentation = code_lead(first.text) if first.is_code else ("", "")
            if signature and documentation:
                page.add(f"`{signature}`: {documentation}", [first])


def _lacking(asked: Asked, choices: Sequence[Choice]) -> float:
    """1 where nothing of the kind that is asked for is named, or no reason, number, person or time
    is told that is asked for; less where what "which …" asks for is not spoken of, where only
    something else than the identifiers asked about is defined, or where what holds is told by what
    a release once brought."""
    first = choices[0].evidence[0] if choices else None
    if first is not None and first.role == "changelog" and not asked.of_releases:
        return max(_PASSED, _unfilled(asked, choices))
    return _unfilled(asked, choices)


def _unfilled(asked: Asked, choices: Sequence[Choice]) -> float:
    if asked.kind is not None:
        shown = choices[:1] if asked.kind in ALONE else choices
        giving = [c for c in shown if holds(asked.kind, c.text, asked.text)]
        return _doubtful(asked, giving[0]) if giving else 1.0
    if asked.answer_type in _NEEDED and choices and not wants(asked.answer_type, choices[0].text):
        return 1.0
    evidence = [e for choice in choices for e in choice.evidence]
    noun = set(stems(head_noun(asked.text))) if asked.answer_type == "any" else set[str]()
    if noun and not any(e.bridged for e in evidence):
        said = {s for c in choices for s in stems(f"{c.text} {c.evidence[0].title}")}
        return 0.0 if noun & said else 0.5
    about = {name_key(n.rpartition(".")[2].removesuffix("()")) for n in asked.names if _is_code(n)}
    names = [defined(choice.text) for choice in choices]
    if about and all(names) and asked.answer_type == "definition":
        return 0.0 if about & {name_key(name) for name in names} else 0.5
    return 0.0


def _doubtful(asked: Asked, choice: Choice) -> float:
    """A part where the thing that is named may be another's: a class whose passage does not speak
    of the name that the question gives, a value whose line says little of what it is of."""
    texts = [f"{e.title} {e.path} {e.text}" for e in choice.evidence]
    if asked.kind in {"class", "function"}:
        if not defined(choice.text) and not _says_subject(asked, choice.text):
            return 1.0
        return 0.0 if all(any(says(t, n) for t in texts) for n in asked.names) else _DOUBT
    about = set(asked.subject) - KIND_WORDS
    if asked.kind in {"default", "number", "version"} and about:
        title = choice.evidence[0].title
        said = set(stems_in_parts(choice.text)) | set(stems(title))
        return 0.0 if len(said & about) > _HALF * len(about) else _DOUBT
    return 0.0


def _says_subject(asked: Asked, text: str) -> bool:
    """Whether a sentence itself says half of what the question is about."""
    about = set(asked.subject) - KIND_WORDS
    said = set(stems_in_parts(text))
    return len(said & about) >= _HALF * len(about)


def _is_code(name: str) -> bool:
    return looks_like_identifier(name) and not name.isalpha()


def superseded(graph: Graph, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """That a cited document is superseded by another, in words."""
    documents = {e.document_id: n for n, e in reversed(list(enumerate(evidence, 1)))}
    documents.pop("", None)
    found = graph.neighbors(
        sorted(documents), direction="in", types=frozenset({RelationType.SUPERSEDES})
    )
    return tuple(
        f"The source of [{documents[document]}] has been superseded."
        for document in sorted(found, key=lambda d: documents[d])
        if found[document]
    )


def _said(asked: Asked, choices: Sequence[Choice]) -> float:
    """The share of the question's content words in what is quoted and its titles."""
    said = {s for c in choices for s in stems(f"{c.text} {c.evidence[0].title}")}
    return len(said & set(asked.stems)) / len(asked.stems) if asked.stems else 0.0


def _subject(asked: Asked, evidence: Sequence[Evidence]) -> float | None:
    if not asked.subject:
        return None
    said = {s for e in evidence for s in words_of(e)}
    return len(said & set(asked.subject)) / len(asked.subject)


def _coverage(asked: Asked, answer: str, evidence: Sequence[Evidence]) -> float:
    if not asked.stems:
        return 0.0
    said = set(stems(f"{answer} {' '.join(e.title for e in evidence)}"))
    said |= {s for e in evidence if e.is_code for s in stems(e.text)}
    return len(said & set(asked.stems)) / len(asked.stems)


def _joined(sentences: Sequence[str]) -> str:
    """The sentences one after another; what has lines of its own stands between blank ones."""
    answer = ""
    for n, each in enumerate(sentences):
        apart = "\n" in each or (n > 0 and "\n" in sentences[n - 1])
        answer += each if not n else f"\n\n{each}" if apart else f" {each}"
    return answer


def _marked(text: str, mark: str) -> str:
    """`text` as a sentence with `mark` before its full stop; below a block of code, after lines."""
    if text.endswith("```"):
        return f"{text}\n{mark}"
    if "\n" in text:
        return f"{text} {mark}"
    end = text[-1:]
    if end in "!?…":
        return f"{text} {mark}."
    return f"{text.rstrip('.;:, ')} {mark}."
