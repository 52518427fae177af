"""LINKS_TO, and what a document states by name: front matter, manifests, owners."""

import posixpath
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from pathspec import GitIgnoreSpec

from quipu.extract.asserting import Assertions
from quipu.extract.catalogue import Catalogue
from quipu.limits import LONGEST_LINE
from quipu.records.document import Document, Link, OwnerRule, StatedRelation
from quipu.records.ids import named_entity_id, symbol_entity_id
from quipu.records.record import Properties
from quipu.records.schema import EntityType, RelationType, directed, wrong_end

_ENDINGS = (".md", ".rst", ".markdown", ".mdx", ".adoc", ".org", ".ipynb")
"""Of the sources that a page of a site may be made from, `x.html` from `x.html.md` or `x.md`."""
_OF_FOLDERS = tuple(
    f"/{name}"
    for name in (
        "README.md readme.md README.rst index.md index.rst index.html index.html.md index.mdx "
        "index.adoc _index.md"
    ).split()
)
_NAMED = (
    "ADR",
    "Policy",
    "Service",
    "Application",
    "Workflow",
    "Infra",
    "Registry",
    "API",
    "Tool",
    "Package",
    "Owner",
)
_CODEOWNERS_FOLDERS = (".github", "", "docs", ".gitlab")
_MEDIA = tuple(
    ".png .jpg .jpeg .gif .bmp .svg .webp .avif .mp3 .m4a .wav .ogg .flac .mp4 .mov .webm .mkv "
    ".pdf .canvas .base .excalidraw".split()
)


def assert_addresses(found: Assertions) -> None:
    """Assert the hyperlinks to what lies outside: LINKS_TO a URL, without its fragment."""
    for link in found.document.links:
        outside = not link.wiki and _scheme(link.target) in ("http", "https")
        if outside and len(link.target) <= LONGEST_LINE:
            url = found.named("URL", link.target.partition("#")[0], link.line)
            found.relation(found.document_id, "LINKS_TO", url, link.line)


def assert_links(found: Assertions, catalogue: Catalogue) -> None:
    """Assert the hyperlinks to documents of the tree."""
    for link in found.document.links:
        if link.wiki:
            _assert_note(link, found, catalogue)
        elif not _scheme(link.target):
            _assert_relative(link, found, catalogue)


def _assert_note(link: Link, found: Assertions, catalogue: Catalogue) -> None:
    """A link by name; one to a picture or a sound leads to no document."""
    target = catalogue.note(link.target, found.document.path)
    type_ = link.relation
    written: Properties = {"as_written": link.as_written} if link.as_written else {}
    if wrong_end(type_, EntityType.DOCUMENT, EntityType.DOCUMENT) is not None:
        type_, written = str(RelationType.LINKS_TO), {}
    if target:
        _relate(found, type_, target, link.line, written)
    elif not link.target.lower().endswith(_MEDIA):
        found.missing(link.line, type_, f"[[{link.target}]]")


def _scheme(target: str) -> str:
    try:
        return urlsplit(target).scheme if ":" in target else ""
    except ValueError:
        return "invalid"


def _assert_relative(link: Link, found: Assertions, catalogue: Catalogue) -> None:
    path = unquote(link.target.partition("#")[0].partition("?")[0])
    if not path:
        return
    target = resolve_path(path, found.document.path, catalogue)
    if target:
        _relate(found, link.relation, target, link.line)
    elif not any(map(catalogue.has_folder, _places(path, found.document.path))):
        found.missing(link.line, link.relation, link.target)


def _relate(
    found: Assertions, relation: str, target: str, line: int, properties: Properties | None = None
) -> None:
    type_, source, target = directed(relation, found.document_id, target)
    found.relation(source, type_, target, line, properties=properties)


def _places(path: str, here: str) -> Iterator[str]:
    """Where `path`, written in the document at `here`, may lead, the likeliest first. What begins
    with a slash counts from the root of the tree, or from that of a site: a folder that `here` is
    in, the nearest first."""
    bases = [posixpath.dirname(here)]
    if path.startswith("/"):
        while (above := posixpath.dirname(bases[-1])) != bases[-1]:  # the root is above itself
            bases.append(above)
        bases.insert(0, bases.pop())
    for base in bases:
        place = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
        yield "" if place == "." else place


def resolve_path(path: str, here: str, catalogue: Catalogue) -> str | None:
    """The document at `path` as written in the document at `here`, or the one that the page there
    is made from; one of the same name that lies elsewhere is not meant."""
    for place in _places(path, here):
        page = place.removesuffix(".html").removesuffix(".htm")
        names = [place, *(place + end for end in (*_ENDINGS, *_OF_FOLDERS))]
        if page != place:
            names += [page + end for end in (*_ENDINGS, *_OF_FOLDERS)]
        for name in names:
            if known := catalogue.document(name if place else name.lstrip("/")):
                return known
    return None


def assert_stated_relations(found: Assertions, catalogue: Catalogue) -> None:
    """Assert what the document states of itself or of the things it defines, by name."""
    for stated in found.document.relations:
        source = _source(stated, found)
        target = _target(stated, found, catalogue)
        if target is None:
            found.missing(stated.line, stated.type, stated.target)
            continue
        if stated.source is not None and len(is_one := catalogue.things_in(target)) == 1:
            (target,) = is_one  # a service depends on the service that the page describes
        type_, source, target = directed(stated.type, source, target)
        properties = dict(stated.properties)
        if stated.as_written:
            properties["as_written"] = stated.as_written
        found.relation(
            source, type_, target, stated.line, confidence=stated.confidence, properties=properties
        )


def _source(stated: StatedRelation, found: Assertions) -> str:
    if stated.source is None:
        return found.document_id
    type_, name = stated.source
    if type_ == EntityType.SYMBOL:
        return symbol_entity_id(found.namespace, found.document_id, name)
    return named_entity_id(found.namespace, type_, name)


def _target(stated: StatedRelation, found: Assertions, catalogue: Catalogue) -> str | None:
    if stated.note:
        return catalogue.note(stated.target, found.document.path)
    return _named_target(stated, found, catalogue)


def _named_target(stated: StatedRelation, found: Assertions, catalogue: Catalogue) -> str | None:
    if stated.target_type:
        known = catalogue.thing(stated.target_type, stated.target)
        if known:
            return known
        if catalogue.is_ambiguous(stated.target_type, stated.target):
            return None
        if stated.create:
            return found.named(stated.target_type, stated.target, stated.line)
    document_id = _named_document(stated.target, found.document.path, catalogue)
    if document_id and stated.target_type == "ADR":
        return catalogue.thing_in("ADR", document_id) or document_id
    if document_id:
        return document_id
    thing = catalogue.thing_of_any(stated.target, _NAMED)
    symbol = None if thing else catalogue.only_symbol(stated.target)
    return thing[0] if thing else (symbol.entity_id if symbol else None)


def _named_document(name: str, here: str, catalogue: Catalogue) -> str | None:
    """The document that front matter means: by its path from `here` or from the root, by its
    title or by its id. A path that begins with a dot is one from `here`."""
    found = resolve_path(name, here, catalogue)
    if found or name.startswith("."):
        return found
    return resolve_path(name, "", catalogue) or catalogue.document_named(name)


def assert_owners(found: Assertions, catalogue: Catalogue) -> None:
    """Assert OWNED_BY for every document a CODEOWNERS file gives an owner, the last rule
    that matches deciding. Where several such files lie in their usual places, one counts."""
    rules = found.document.owner_rules
    base = _codeowners_base(found.document, catalogue)
    if not rules or base is None:
        return
    compiled = [(_spec(rule.pattern), rule) for rule in rules]
    for path in catalogue.paths():
        if base and not path.startswith(base + "/"):
            continue
        rule = _last_match(compiled, path[len(base) + 1 :] if base else path)
        document_id = catalogue.document(path)
        if rule is None or document_id is None:
            continue
        for owner in rule.owners:
            owner_id = found.named("Owner", owner, rule.line)
            for owned in (document_id, *catalogue.things_in(document_id)):
                found.relation(
                    owned, "OWNED_BY", owner_id, rule.line, properties={"pattern": rule.pattern}
                )


def _codeowners_base(document: Document, catalogue: Catalogue) -> str | None:
    folder, name = posixpath.split(document.path)
    base = folder
    for usual in _CODEOWNERS_FOLDERS:
        if usual and (folder == usual or folder.endswith("/" + usual)):
            base = folder.removesuffix(usual).rstrip("/")
    for usual in _CODEOWNERS_FOLDERS:
        path = posixpath.join(base, usual, name) if usual else posixpath.join(base, name)
        if path == document.path:
            return base
        if catalogue.document(path):
            return None
    return base


@lru_cache(maxsize=1024)
def _spec(pattern: str) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines([pattern])


def _last_match(rules: list[tuple[GitIgnoreSpec, OwnerRule]], path: str) -> OwnerRule | None:
    for spec, rule in reversed(rules):
        if spec.match_file(path):
            return rule
    return None
