"""Answers that a history gives: who changed what, when, in which commit, and the reason it gives.

Two questions are answered from commits. One is about a change ("why was the retry removed?"): a
commit that was found answers it when it says all that the question is about, and the same kind of
act. The other is about a file ("who changed lib/url.c last?"): the MODIFIES edges answer it,
whatever else was found.
"""

from collections.abc import Collection, Mapping, Sequence

from quipu.answer.gate import AnswerDraft, Evidence, words_of
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.quote import code_span, plain
from quipu.answer.support import EvidencePool, support
from quipu.kinds.commits.asked import ACTS, ADDED, PLAIN, WHICH, asks_of_changes
from quipu.kinds.commits.model import paths_in, title_of, without_trailers
from quipu.kinds.commits.profile import MOST_FILES
from quipu.limits import PREVIEW, SCANNED
from quipu.ports import Graph, Planner
from quipu.question import Question
from quipu.records.record import Entity, Relation
from quipu.records.refs import COMMIT, COMMIT_PREFIX
from quipu.records.schema import EntityType, RelationType
from quipu.records.scope import EVERYTHING, Scope
from quipu.text import name_key, stems

__all__ = ["ANSWERS"]

_LOOKED_AT, _FIRST_FOUND, _MOST_TOLD = 10, 3, 3
_ENOUGH = 0.75
"""The share of what a question is about that a commit must say to answer it."""
_NO_REASON, _ONE_OF_SEVERAL, _MAY_NOT_BE_AUTHOR = 0.8, 0.8, 0.7
"""The share of the question that a commit explains, where it explains less than all."""
_SHORT_SHA = 12


class CommitAnswers(Answers):
    """What a history states."""

    def stated(
        self, asked: Question, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """Return what commits that `scope` admits say to a question about a change."""
        if not asks_of_changes(asked.text):
            return []
        paths = {s for path in paths_in(asked.text) for s in stems(path)}
        about = frozenset(asked.subject) - PLAIN
        if paths and not about - paths:
            return _of_file(asked, planner, _files_named(asked, planner, evidence), scope)
        commits = list(filter(_is_commit, evidence))[:_LOOKED_AT]
        if not about or not commits or commits[0] not in evidence[:_FIRST_FOUND]:
            return []
        return _of_change(asked, planner, commits, about)

    def named(self, asked: Question, graph: Graph, evidence: Sequence[Evidence]) -> Collection[str]:
        """Return the files of the question that commits have changed."""
        return _files_named(asked, graph, evidence)

    def present(
        self,
        question: Question,
        graph: Graph,  # noqa: ARG002 - what others need
        found: Sequence[Evidence],
        *,
        now: str,  # noqa: ARG002
    ) -> list[Evidence]:
        """Return what was found, without commits where the question is about no change."""
        about_changes = asks_of_changes(question.text)
        return [each for each in found if about_changes or not _is_commit(each)]

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """Where commits state all that is asked their edges say what their words need not, and
        where only edges led to them no score speaks of them."""
        if draft.stated < 1 or not all(map(_is_commit, draft.evidence)):
            return {}
        by_edges = score1 is not None and all(e.score is None for e in draft.evidence)
        return {"miss": 0.0, **({"score1": max(score1 or 0.0, 0.0)} if by_edges else {})}


ANSWERS = CommitAnswers()


def _asks(asked: Question, which: str) -> bool:
    return not WHICH[which].isdisjoint(asked.words)


def _is_commit(evidence: Evidence) -> bool:
    return evidence.path.startswith(COMMIT_PREFIX)


def _files_named(asked: Question, graph: Graph, evidence: Sequence[Evidence]) -> dict[str, str]:
    """The documents that the question names by path and commits have changed, by what they are
    called there. A path that fits several is none."""
    found: dict[str, str] = {}
    paths = paths_in(asked.text)
    if not paths:
        return found
    commits = [e.document_id for e in evidence if _is_commit(e)][:_LOOKED_AT]
    read = graph.get(sorted({e.document_id for e in evidence} - {""}))
    known = [e for each in (read, _files_of(graph, commits)[1]) for e in each.values()]
    documents = {e.entity_id: e for e in known if isinstance(e, Entity)}
    named = graph.named([name_key(path) for path in paths])
    for path in paths:
        same = named.get(name_key(path), ())
        whole = {e.entity_id for e in same if e.type == EntityType.DOCUMENT}
        ends = {id_ for id_, e in documents.items() if _path_of(e).endswith(f"/{path}")}
        fitting = whole or ends
        if len(fitting) == 1:
            found[path] = fitting.pop()
    return found


def _path_of(document: Entity) -> str:
    return str(document.properties.get("file_path") or document.name)


def _files_of(
    graph: Graph, commits: Sequence[str]
) -> tuple[Mapping[str, Sequence[Relation]], dict[str, Entity]]:
    """The MODIFIES edges of each commit, and the files that they lead to, by id."""
    types = frozenset({RelationType.MODIFIES})
    edges = graph.neighbors(commits, types=types, limit_per_id=MOST_FILES)
    files = graph.get(sorted({r.target_entity_id for rows in edges.values() for r in rows}))
    return edges, {id_: e for id_, e in files.items() if isinstance(e, Entity)}


def _of_file(
    asked: Question, planner: Planner, files: Mapping[str, str], scope: Scope
) -> list[AnswerStatement]:
    """A file's first change, or its last and those before it. Who wrote it is not surely who added
    it; who changed it most, and how often, is not told."""
    counted = _asks(asked, "counted") and not _asks(asked, "recent")
    if len(files) != 1 or counted:
        return []
    ((path, document),) = files.items()
    changes = _changes_of(document, planner, scope)
    if not changes:
        return []
    wrote, latest = _asks(asked, "wrote"), _asks(asked, "latest")
    first = wrote or _asks(asked, "first") or bool(ADDED & asked.stem_set)
    if first and not latest:
        shown, said = changes[:1], ["was added"]
    else:
        one = latest or asked.answer_type == "time"
        shown = changes[::-1][: 1 if one else _MOST_TOLD]
        said = ["was changed last", *("was changed before that" for _ in shown[1:])]
    people = _authors(planner, [each.source_entity_id for each in shown])
    return [
        _statement(
            f"{code_span(path)} {words} {_when_and_who(commit, people)}: {title_of(commit.text)}",
            commit,
            _MAY_NOT_BE_AUTHOR if wrote else 1.0,
        )
        for relation, words in zip(shown, said, strict=True)
        for commit in support(planner, relation.rel_id, EvidencePool(), relation)[1][:1]
    ]


def _changes_of(document: str, planner: Planner, scope: Scope) -> list[Relation]:
    """The MODIFIES edges of a file from commits that `scope` admits, the earliest first."""
    types = frozenset({RelationType.MODIFIES})
    edges = planner.neighbors([document], direction="in", types=types, limit_per_id=SCANNED)
    found = edges[document]
    if scope != EVERYTHING:
        inside = planner.numbers_in([r.source_entity_id for r in found])
        admitted = {id_ for id_, own in inside.items() if planner.admits(own, scope).any()}
        found = [r for r in found if r.source_entity_id in admitted]
    return sorted(found, key=lambda r: (r.updated_at, r.rel_id))


def _of_change(
    asked: Question, graph: Graph, commits: Sequence[Evidence], about: frozenset[str]
) -> list[AnswerStatement]:
    """The commit that says what the question is about, and did what it asks for."""
    acts = [act for act in ACTS if act & asked.stem_set]
    edges, files = _files_of(graph, [each.document_id for each in commits])
    fitting: list[tuple[float, Evidence]] = []
    for each in commits:
        touched = (files.get(r.target_entity_id) for r in edges.get(each.document_id, ()))
        words = words_of(each) | {s for file in touched if file for s in stems(file.name)}
        share = len(about & words) / len(about)
        if share >= _ENOUGH and all(act & words for act in acts):
            fitting.append((share, each))
    if not fitting:
        return []
    best = max(share for share, _ in fitting)
    equal = [each for share, each in fitting if share == best]
    by_time = sorted(equal, key=lambda each: (each.updated_at, each.id))
    if _asks(asked, "first") or ADDED in acts:
        chosen = by_time[0]
    else:
        chosen = by_time[-1] if _asks(asked, "latest") else equal[0]
    sha = chosen.path.removeprefix(COMMIT_PREFIX)[:_SHORT_SHA]
    people = _authors(graph, [chosen.document_id])
    text = f"Commit `{sha}` {_when_and_who(chosen, people)}: {title_of(chosen.text)}"
    explained = best if chosen is equal[0] else best * _ONE_OF_SEVERAL
    if asked.answer_type == "reason":
        reason = _reason(chosen.text)
        text = f"{text}. {reason}" if reason else f"{text}, and gives no reason"
        explained *= 1.0 if reason else _NO_REASON
    return [_statement(text, chosen, explained)]


def _authors(graph: Graph, commits: Sequence[str]) -> dict[str, str]:
    edges = graph.neighbors(commits, types=frozenset({RelationType.AUTHORED_BY}))
    people = graph.get(sorted({r.target_entity_id for rows in edges.values() for r in rows}))
    return {
        commit: person.name
        for commit, rows in edges.items()
        if rows and isinstance(person := people.get(rows[0].target_entity_id), Entity)
    }


def _when_and_who(commit: Evidence, people: Mapping[str, str]) -> str:
    who = people.get(commit.document_id)
    return f"on {commit.updated_at[:10]}" + (f" by {plain(who)}" if who else "")


def _reason(message: str) -> str:
    """What a message says below its title, without trailers."""
    body = without_trailers(message.partition(title_of(message))[2])
    return plain(" ".join(body.split()), limit=PREVIEW).rstrip(".;:, ")


def _statement(text: str, commit: Evidence, explained: float) -> AnswerStatement:
    return AnswerStatement(text, (commit,), kind=COMMIT, explained=explained)
