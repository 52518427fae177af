"""What a history states: who changed what, when, in which commit, and the reason it gives.

Two questions are answered from commits. One is about a change ("why was the retry removed?"): a
commit that was found answers it when it says all that the question is about, and the same kind of
act. The other is about a file ("who changed lib/url.c last?"): the MODIFIES edges answer it,
whatever else was found.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from quipu.answer.gate import AnswerDraft, Evidence, words_of
from quipu.answer.intent import Asked
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.quote import code_span, plain
from quipu.answer.support import EvidencePool, support
from quipu.kinds.commits.candidates import asks_of_changes
from quipu.kinds.commits.model import paths_in, title_of, trailers_of
from quipu.ports import Graph, Planner
from quipu.records.record import Entity, Relation
from quipu.records.refs import COMMIT, COMMIT_PREFIX
from quipu.records.schema import EntityType, RelationType
from quipu.records.scope import EVERYTHING, Scope
from quipu.text import name_key, stems

__all__ = ["ANSWERS"]

_LOOKED_AT = 10
_FIRST_FOUND = 3
_MOST = 3
_MOST_COMMITS = 5_000
_ENOUGH = 0.75
_NO_REASON = 0.8
_SEVERAL = 0.8
_REASON = 600
_SHA = 12
_UNSURE = 0.7
"""What of "who wrote it?" the first commit explains: others may have written most of it."""
_ACTS: tuple[frozenset[str], ...] = tuple(
    frozenset(stems(words))
    for words in (
        "removed deleted dropped stripped disabled",
        "added introduced implemented created initial",
        "fixed repaired resolved corrected mended solved",
        "reverted undone backed",
        "renamed moved",
        "replaced switched migrated",
    )
)
_PLAIN = frozenset(
    stems(
        "changed modified edited touched updated committed commit commits change wrote written "
        "write author authored merged made did done was last latest recently recent newest "
        "first file files time times often most mainly many who when reason support code "
        "backend feature option library function implementation module bug issue problem"
    )
)
_LATEST = re.compile(r"\b(?:last|latest|newest|most recent(?:ly)?)\b", re.IGNORECASE)
_WROTE = re.compile(r"\b(?:wrote|written|authors?|authored)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:most(?:ly)?(?! recent)|mainly|how (?:often|many))\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:first|oldest|earliest|originally)\b", re.IGNORECASE)
_TRAILING = re.compile(r"^(?:fix(?:es|ed)?|closes?|refs?|bug|resolves?) *:? *#?\S+$", re.IGNORECASE)
_BLANK = re.compile(r"\n\s*\n")


def _changes(
    asked: Asked, planner: Planner, evidence: Sequence[Evidence], scope: Scope
) -> list[AnswerStatement]:
    """What commits that `scope` lets be seen say to a question about a change, the answer first;
    none to another."""
    if not asks_of_changes(asked.text):
        return []
    commits = [each for each in evidence if each.path.startswith(COMMIT_PREFIX)][:_LOOKED_AT]
    paths = {s for path in paths_in(asked.text) for s in stems(path)}
    about = frozenset(asked.subject) - _PLAIN - frozenset().union(*_ACTS)
    if paths and not about - paths:
        return _of_file(asked, planner, _files_named(asked, planner, evidence), scope)
    if not commits or commits[0] not in evidence[:_FIRST_FOUND]:
        return []
    return _of_change(asked, planner, commits, about)


def _files_named(asked: Asked, graph: Graph, evidence: Sequence[Evidence]) -> dict[str, str]:
    """The documents that the question names by path and commits have changed, by what they are
    called there. A path that fits several is none."""
    found: dict[str, str] = {}
    paths = paths_in(asked.text)
    if not paths:
        return found
    commits = [e.document_id for e in evidence if e.path.startswith(COMMIT_PREFIX)][:_LOOKED_AT]
    read = graph.get(sorted({e.document_id for e in evidence} - {""}))
    touched = [*_touched(graph, commits), *(e for e in read.values() if isinstance(e, Entity))]
    named = graph.named([name_key(path) for path in paths])
    for path in paths:
        whole = [e for e in named.get(name_key(path), ()) if e.type == EntityType.DOCUMENT]
        ends = [e for e in touched if _path_of(e).endswith(f"/{path}")]
        fitting = {e.entity_id for e in whole} or {e.entity_id for e in ends}
        if len(fitting) == 1:
            found[path] = fitting.pop()
    return found


def _path_of(document: Entity) -> str:
    path = document.properties.get("file_path")
    return path if isinstance(path, str) and path else document.name


def _touched(graph: Graph, commits: Sequence[str]) -> list[Entity]:
    edges = graph.neighbors(commits, types=frozenset({RelationType.MODIFIES}), limit_per_id=300)
    ids = sorted({r.target_entity_id for rows in edges.values() for r in rows})
    return [e for e in graph.get(ids).values() if isinstance(e, Entity)]


def _of_file(
    asked: Asked, planner: Planner, files: Mapping[str, str], scope: Scope
) -> list[AnswerStatement]:
    """A file's first change, or its last and those before it. Who wrote it is not surely who added
    it; who changed it most, and how often, is not told."""
    if len(files) != 1 or _COUNTED.search(asked.text):
        return []
    ((path, document),) = files.items()
    changes = _changes_of(document, planner, scope)
    if not changes:
        return []
    wrote = _WROTE.search(asked.text) is not None
    is_first = wrote or _FIRST.search(asked.text) or _ACTS[1] & set(asked.stems)
    if is_first and not _LATEST.search(asked.text):
        shown, said = changes[:1], ["was added"]
    else:
        one = _LATEST.search(asked.text) or asked.answer_type == "time"
        shown = changes[::-1][: 1 if one else _MOST]
        said = ["was changed last", *("was changed before that" for _ in shown[1:])]
    people = _authors(planner, [each.source_entity_id for each in shown])
    return [
        _statement(
            f"{code_span(path)} {words} {_when_and_who(commit, people)}: {title_of(commit.text)}",
            commit,
            _UNSURE if wrote else 1.0,
        )
        for relation, words in zip(shown, said, strict=True)
        for commit in support(planner, relation.rel_id, EvidencePool(), relation)[1][:1]
    ]


def _changes_of(document: str, planner: Planner, scope: Scope) -> list[Relation]:
    """The MODIFIES edges of a file that `scope` lets be seen, the earliest first."""
    types = frozenset({RelationType.MODIFIES})
    edges = planner.neighbors([document], direction="in", types=types, limit_per_id=_MOST_COMMITS)
    seen = _seen([r.source_entity_id for r in edges[document]], planner, scope)
    found = [r for r in edges[document] if r.source_entity_id in seen]
    return sorted(found, key=lambda r: (r.updated_at, r.rel_id))


def _seen(commits: Sequence[str], planner: Planner, scope: Scope) -> set[str]:
    """Those of the commits of which `scope` lets a passage be seen."""
    if scope == EVERYTHING:
        return set(commits)
    inside = planner.numbers_in(commits)
    return {each for each, numbers in inside.items() if planner.admits(numbers, scope).any()}


def _of_change(
    asked: Asked, graph: Graph, commits: Sequence[Evidence], about: frozenset[str]
) -> list[AnswerStatement]:
    """The commit that says what the question is about, and did what it asks for."""
    if not about:
        return []
    acts = [act for act in _ACTS if act & set(asked.stems)]
    fitting: list[tuple[float, Evidence]] = []
    names = _file_words(graph, commits)
    for each in commits:
        words = words_of(each) | names.get(each.document_id, frozenset())
        share = len(about & words) / len(about)
        if share >= _ENOUGH and all(act & words for act in acts):
            fitting.append((share, each))
    if not fitting:
        return []
    best = max(share for share, _ in fitting)
    equal = [each for share, each in fitting if share == best]
    by_time = sorted(equal, key=lambda each: (each.updated_at, each.id))
    if _FIRST.search(asked.text) or _ACTS[1] in acts:
        chosen = by_time[0]
    else:
        chosen = by_time[-1] if _LATEST.search(asked.text) else equal[0]
    people = _authors(graph, [chosen.document_id])
    said = (
        f"Commit `{chosen.path.removeprefix(COMMIT_PREFIX)[:_SHA]}` {_when_and_who(chosen, people)}"
    )
    sure = best if len(equal) == 1 or chosen is equal[0] else best * _SEVERAL
    text, explained = f"{said}: {title_of(chosen.text)}", sure
    if asked.answer_type == "reason":
        reason = _reason(chosen.text)
        text = f"{text}. {reason}" if reason else f"{text}, and gives no reason"
        explained = sure if reason else sure * _NO_REASON
    return [_statement(text, chosen, explained)]


def _file_words(graph: Graph, commits: Sequence[Evidence]) -> dict[str, frozenset[str]]:
    """The stems of the files that each commit touches."""
    ids = [each.document_id for each in commits]
    edges = graph.neighbors(ids, types=frozenset({RelationType.MODIFIES}), limit_per_id=300)
    targets = sorted({r.target_entity_id for rows in edges.values() for r in rows})
    names = {k: e.name for k, e in graph.get(targets).items() if isinstance(e, Entity)}
    return {
        commit: frozenset(s for r in rows for s in stems(names.get(r.target_entity_id, "")))
        for commit, rows in edges.items()
    }


def _authors(graph: Graph, commits: Sequence[str]) -> dict[str, str]:
    edges = graph.neighbors(commits, types=frozenset({RelationType.AUTHORED_BY}))
    people = graph.get(sorted({r.target_entity_id for rows in edges.values() for r in rows}))
    return {
        commit: person.name
        for commit, rows in edges.items()
        if rows and isinstance(person := people.get(rows[0].target_entity_id), Entity)
    }


def _when_and_who(each: Evidence, people: Mapping[str, str]) -> str:
    who = people.get(each.document_id)
    return f"on {each.updated_at[:10]}" + (f" by {plain(who)}" if who else "")


def _reason(message: str) -> str:
    """What a message says below its title, without trailers."""
    body = message.partition(title_of(message))[2]
    said = [part for part in _BLANK.split(body) if part.strip() and not _is_trailers(part)]
    return plain(" ".join(_words(said)), limit=_REASON).rstrip(".;:, ")


def _words(parts: Iterable[str]) -> Iterable[str]:
    return (word for part in parts for word in part.split())


def _is_trailers(part: str) -> bool:
    lines = [line.strip() for line in part.strip().splitlines()]
    keys = trailers_of(f"-\n\n{part.strip()}")
    count = sum(map(len, keys.values())) + sum(bool(_TRAILING.match(line)) for line in lines)
    return count >= len(lines)


def _statement(text: str, commit: Evidence, explained: float = 1.0) -> AnswerStatement:
    return AnswerStatement(text, (commit,), kind=COMMIT, explained=explained)


class CommitAnswers(Answers):
    """What a history states."""

    def stated(
        self, asked: Asked, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """Who changed what, when, in which commit, and the reason it gives."""
        return _changes(asked, planner, evidence, scope)

    def named(self, asked: Asked, graph: Graph, evidence: Sequence[Evidence]) -> Collection[str]:
        """The files that commits have changed."""
        return _files_named(asked, graph, evidence)

    def present(
        self,
        question: str,
        graph: Graph,  # noqa: ARG002 - what others need
        found: Sequence[Evidence],
        *,
        now: str,  # noqa: ARG002
    ) -> list[Evidence]:
        """No commits, where the question is about no change."""
        if asks_of_changes(question):
            return list(found)
        return [each for each in found if not each.path.startswith(COMMIT_PREFIX)]

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """Where commits state all that is asked their edges say what their words need not, and
        where only edges led to them no score speaks of them."""
        if draft.stated < 1 or not all(e.path.startswith(COMMIT_PREFIX) for e in draft.evidence):
            return {}
        by_edges = score1 is not None and all(e.score is None for e in draft.evidence)
        return {"miss": 0.0, **({"score1": max(score1 or 0.0, 0.0)} if by_edges else {})}


ANSWERS = CommitAnswers()
