"""What a project says of itself: asked what it is, its README and its manifest answer; asked what
its code takes, raises or reads, the records of it.

"What is this project about?" and "what does express do?" have few words, and those stand all over
the project, so ranking by words and meaning cannot tell the place that answers. The graph can: a
manifest defines a package, and its README lies beside it.
"""

import re
from collections.abc import Mapping, Sequence
from posixpath import dirname, join
from typing import NamedTuple, cast

from quipu.answer.gate import AnswerDraft, Evidence
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.quote import code_span, holds_order, plain
from quipu.answer.support import EvidencePool, chunks_of, from_chunk, support
from quipu.kinds.files.asked import Aspect, aspects_of
from quipu.kinds.files.code_answers import is_told_line, of_code
from quipu.kinds.files.code_records import CodeRecords
from quipu.kinds.files.declared import MANIFESTS, ToldDeclaration, own_name, told_of
from quipu.kinds.files.project import LICENCES, READMES, lead, licence_of
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.record import Chunk, Entity, Value
from quipu.records.schema import EntityType, RelationType
from quipu.records.scope import Scope
from quipu.text import name_key, stems

__all__ = ["ANSWERS"]

_SELF = re.compile(
    r"\b(?:this|the|our|your)\s+(?:current\s+|whole\s+)?(?:project|repo(?:sitory)?|package|library"
    r"|code ?base|tool|program|software|app(?:lication)?|framework)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:(?:so|please|hey|hi|and|ok)\W+)*(?:(?:can|could) you )?"
    r"(?:what(?:'s|’s|\s+(?:is|are|does|do|kind of|sort of))|describe|explain|summari[sz]e|tell me"
    r"|give me)\b",
    re.IGNORECASE,
)
# What such a question says besides the name of the project.
_ASKING = frozenset(
    stems(
        "what's describe explain summarise summarize summary tell give overview purpose goal idea "
        "kind sort main short brief exactly mean point introduction thing"
    )
)
_USED_FOR = re.compile(r"\bused for\b", re.IGNORECASE)
_SAID = 0.7
_PASSAGES = 3


class _Manifest(NamedTuple):
    """A manifest: its document, and the package that it defines, if any."""

    document: Entity
    package: Entity | None

    @property
    def declares(self) -> Mapping[str, Value]:
        """What it declares."""
        content = self.document.properties.get("declares")
        return cast("dict[str, Value]", content) if isinstance(content, dict) else {}


class _Project(NamedTuple):
    """A project: where it lies, its manifests, its README."""

    folder: str
    manifests: tuple[_Manifest, ...]
    readme: Entity | None

    @property
    def packages(self) -> tuple[Entity, ...]:
        """The packages that its manifests define."""
        found = {m.package.entity_id: m.package for m in self.manifests if m.package}
        return tuple(found.values())

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called."""
        titled = (self.readme.name,) if self.readme else ()
        return (*(own_name(p.name) for p in self.packages), *titled)


class FileAnswers(Answers):
    """What a project is."""

    def stated(
        self, asked: Question, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """What the project in question says of itself; nothing to another question."""
        pool = EvidencePool(evidence, scope)
        records = CodeRecords(asked, planner, evidence, pool)
        statements = of_code(records) or _declared(asked, planner, pool)
        if statements:
            return statements
        if not _ASKS.match(asked.text):
            return ()
        project = _asked_project(asked, planner)
        return _said(project, planner, pool) if project else ()

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """Where a README or a manifest that only the graph led to says all of it, neither the
        words that it lacks nor the score of what was found besides speaks of it; nor where lines
        of code do that the records led to. What a manifest answers names nothing else."""
        if not draft.stated or not draft.evidence:
            return {}
        others: dict[str, float | None] = {"miss": 0.0, "score1": max(score1 or 0.0, 0.0)}
        if all(map(is_told_line, draft.evidence)):
            return {**others, "code": 0.0, "unsaid": 0.0}
        if draft.stated < 1:
            return {}
        if not all(each.score is None and _is_of_project(each.path) for each in draft.evidence):
            return {}
        declared = all(_name(each.path) in MANIFESTS for each in draft.evidence)
        return {**others, "unknown_names": 0.0} if declared else others


ANSWERS = FileAnswers()


def _declared(asked: Question, planner: Planner, pool: EvidencePool) -> list[AnswerStatement]:
    """What a manifest declares of the package in question: its licence, what it requires …"""
    aspects = tuple(aspects_of(asked, "manifest"))
    if not aspects:
        return []
    words = [word for aspect in aspects for name in aspect.names for word in name.text.split()]
    named = _named({stem for word in words for stem in stems(word)}, asked, planner)
    for project in filter(None, (named, _project("", planner))):
        if statement := _of_manifests(asked, aspects, project, planner, pool):
            return [statement]
        licence = any(aspect.key == "license" for aspect in aspects)
        if licence and (statement := _of_licence(project, planner, pool)):
            return [statement]
    return []


def _of_manifests(
    asked: Question,
    aspects: Sequence[Aspect],
    project: _Project,
    planner: Planner,
    pool: EvidencePool,
) -> AnswerStatement | None:
    """What the first manifest says that answers, of those that the question names if it does."""
    names = [own_name(package.name) for package in project.packages]
    declared = [manifest.declares.get("version") for manifest in project.manifests]
    versions = frozenset(each for each in declared if isinstance(each, str))
    words = {name_key(w) for aspect in aspects for n in aspect.names for w in n.text.split()}
    wanted = words & {*MANIFESTS}
    for manifest in project.manifests:
        name = _name(_path(manifest.document))
        if wanted and name not in wanted:
            continue
        package = manifest.package or next(iter(project.packages), None)
        called = package.name.replace("`", "'") if package else name
        told = told_of(
            asked.text, aspects, called, manifest.declares, names=names, versions=versions
        )
        if told and (statement := _cited(told, manifest, planner, pool)):
            return statement
    return None


def _of_licence(project: _Project, planner: Planner, pool: EvidencePool) -> AnswerStatement | None:
    """What the licence file beside the manifest is, where no manifest says it."""
    within = name_key(project.folder) if project.folder else ""
    keys = [join(within, name) for name in LICENCES]
    named = planner.named(keys)
    files = (e for key in keys for e in named.get(key, ()) if name_key(_path(e)) == key)
    for document in files:
        chunks = chunks_of(document.entity_id, planner, pool.scope)
        if chunks and (name := licence_of("\n".join(chunk.text for chunk in chunks))):
            ids = (document.entity_id, *(p.entity_id for p in project.packages[:1]))
            passage = from_chunk(chunks[0], planner, ids, document)
            what = code_span(project.names[0]) if project.names else "This project"
            return AnswerStatement(
                f"{what} is licensed under {name}", (passage,), kind=EntityType.PACKAGE
            )
    return None


def _cited(
    declaration: ToldDeclaration, manifest: _Manifest, planner: Planner, pool: EvidencePool
) -> AnswerStatement | None:
    """The sentence, with the passages of the manifest that hold its words."""
    chunks = chunks_of(manifest.document.entity_id, planner, pool.scope)
    quoted: dict[str, Chunk] = {}
    for first, *others in declaration.places:
        saying = [chunk for chunk in chunks if first in chunk.text]
        if saying:
            best = max(saying, key=lambda chunk: sum(word in chunk.text for word in others))
            quoted.setdefault(best.chunk_id, best)
    if not quoted:
        return None
    package = (manifest.package.entity_id,) if manifest.package else ()
    ids = (manifest.document.entity_id, *package)
    passages = [
        from_chunk(chunk, planner, ids, manifest.document)
        for chunk in [*quoted.values()][:_PASSAGES]
    ]
    return AnswerStatement(plain(declaration.text), tuple(passages), kind=EntityType.PACKAGE)


def _is_of_project(path: str) -> bool:
    return _name(path) in {*READMES, *MANIFESTS, *LICENCES}


def _name(path: str) -> str:
    """What a file is called, as names are compared."""
    return name_key(path).rpartition("/")[2]


def _asked_project(asked: Question, planner: Planner) -> _Project | None:
    """The project that the question is about, and about nothing else."""
    text = _USED_FOR.sub(" ", asked.text)
    said = set(stems(_SELF.sub(" ", text))) - _ASKING
    if _SELF.search(text):
        return _project("", planner) if not said else None
    home = _project("", planner) if said else None
    if home and any(said == set(stems(name)) for name in home.names if stems(name)):
        return home
    return _named(said, asked, planner)


def _named(said: set[str], asked: Question, planner: Planner) -> _Project | None:
    """The project that defines a package of the name in question."""
    if not said:
        return None
    words = [word.strip(".,;:?!\"'`()") for word in asked.text.split()]
    keys = [name_key(word) for word in words if set(stems(word)) & said]
    named = planner.named(keys)
    packages = [
        entity
        for key in keys
        for entity in named.get(key, ())
        if entity.type == EntityType.PACKAGE and set(stems(entity.name)) >= said
    ]
    for package in packages:
        paths = sorted(path for each in _beside(package, planner) if (path := _path(each)))
        if paths:
            return _project(dirname(paths[0]), planner)
    return None


def _beside(entity: Entity, planner: Planner, *, inward: bool = False) -> list[Entity]:
    """The documents that define a package, or (`inward`) the packages that a manifest defines."""
    types = frozenset({str(RelationType.DEFINED_IN)})
    ids = [entity.entity_id]
    found = planner.neighbors(ids, direction="in" if inward else "out", types=types)
    relations = found[entity.entity_id]
    ends = [r.source_entity_id if inward else r.target_entity_id for r in relations]
    return [each for each in planner.get(ends).values() if isinstance(each, Entity)]


def _project(folder: str, planner: Planner) -> _Project | None:
    """The project in a folder of the home; None where neither README nor manifest lies there."""
    within = name_key(folder) if folder else ""
    keys = [join(within, name) for name in (*READMES, *MANIFESTS)]
    named = planner.named(keys)
    documents = {
        key: entity
        for key in keys
        for entity in named.get(key, ())
        if entity.type == EntityType.DOCUMENT and name_key(_path(entity)) == key
    }
    readme = next((documents[k] for k in keys[: len(READMES)] if k in documents), None)
    found = [documents[k] for k in keys[len(READMES) :] if k in documents]
    manifests = tuple(_Manifest(each, _defined_in(each, planner)) for each in found)
    return _Project(folder, manifests, readme) if readme or _says(manifests) else None


def _says(manifests: Sequence[_Manifest]) -> bool:
    return any(each.package or each.declares for each in manifests)


def _defined_in(manifest: Entity, planner: Planner) -> Entity | None:
    """The package that a manifest defines."""
    found = _beside(manifest, planner, inward=True)
    return next((each for each in found if each.type == EntityType.PACKAGE), None)


def _path(entity: Entity) -> str:
    path = entity.properties.get("file_path")
    return path if isinstance(path, str) else ""


def _said(project: _Project, planner: Planner, pool: EvidencePool) -> list[AnswerStatement]:
    """The lead of the README, and what the manifest says that the lead does not."""
    statements: list[AnswerStatement] = []
    if readme := _of_readme(project, planner, pool):
        statements.append(readme)
    known = set(stems(" ".join(each.text for each in statements)))
    for package in project.packages[:1]:
        words = set(stems(package.description))
        if words and len(words & known) < _SAID * len(words):
            statements += _of_manifest(package, planner, pool)
    return statements


def _of_readme(project: _Project, planner: Planner, pool: EvidencePool) -> AnswerStatement | None:
    if project.readme is None:
        return None
    found = lead(chunks_of(project.readme.entity_id, planner, pool.scope), project.names)
    if found is None:
        return None
    ids = (project.readme.entity_id, *(p.entity_id for p in project.packages[:1]))
    passage = from_chunk(found.chunk, planner, ids, project.readme)
    return AnswerStatement(plain(found.text), (passage,), kind=EntityType.PACKAGE)


def _of_manifest(package: Entity, planner: Planner, pool: EvidencePool) -> list[AnswerStatement]:
    if holds_order(package.name) or holds_order(package.description):
        return []
    types = frozenset({str(RelationType.DEFINED_IN)})
    for relation in planner.neighbors([package.entity_id], types=types)[package.entity_id]:
        _, sources = support(planner, relation.rel_id, pool, relation)
        if sources:
            said = f"{code_span(package.name)}: {plain(package.description)}"
            return [AnswerStatement(said, sources[:1], kind=EntityType.PACKAGE)]
    return []
