"""What a named thing of code has: the constants of a type, the variants of an enumeration, the
methods of a class, what a list, a table or a key of a data file holds.

The thing is found by its name: as it is written, or by words of which all of its name is made; a
name that only passages use is looked up where it is defined. Its members are read off the lines
that define it (`listings`). The share of the question that name, place and project explain is how
sure it is, and where two things differ that are named alike nothing is said.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_span, is_order
from quipu.answer.wording import subject_of
from quipu.kinds.files.code_answers import CodeRecords, path_of
from quipu.kinds.files.code_text import CodeLines, lines_of
from quipu.kinds.files.listings import (
    Listing,
    alternatives,
    indented,
    listings,
    repeated,
    typed_constants,
)
from quipu.ports import Planner
from quipu.records.record import Chunk, Entity
from quipu.records.role import role_of
from quipu.records.schema import EntityType, RelationType
from quipu.text import (
    looks_like_identifier,
    name_key,
    split_identifier,
    stems,
    stems_in_parts,
)

__all__ = ["of_members"]

_PASSAGES = 10
_MOST_NAMES = 300
_MOST_READ = 12
_MOST_DEFINED = 500
_MOST_CITED = 3
_SHOWN = 30
_FEWEST = 2
_LONGEST = 700
_ENOUGH = 0.75
_BY_WORDS = 0.85
_NOT_WHOLE = 0.8
_LONGEST_RUN = 3
_OTHER = ("test", "fixture", "example", "generated", "vendored")
_KINDS = frozenset({"default", "function"})
_OF_THINGS = frozenset({"any", "definition"})
_DATA = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg")
_DEFINED = frozenset({str(RelationType.DEFINED_IN)})
# What says that a thing has its members, or has them without anybody's doing.
_HAVING = frozenset(
    stems(
        "accept allow available belong box builtin built bundle come configure consist contain "
        "declare default define exist export exposed get give have hold include list offer "
        "permit possible predefine provide register registered return ship standard support "
        "supported take understand use used valid"
    )
)
_COMES = frozenset(
    stems(
        "all available builtin built default in known predefined registered standard supported"
        " valid"
    )
)
_COMING = ("default", "builtin", "built_in", "supported", "available", "all", "known", "valid")
# What members are called, whatever they are members of.
_MEMBERS = frozenset(
    stems(
        "alternative case choice constant element entry enum enumeration enumerator identifier item"
        " key literal member name option possibility value variant"
    )
)
_ENUMERATING = frozenset({"enum", "flag"})
_METHODS = frozenset(stems("method function"))
_METHOD = stems("method")[0]
_OTHERWISE = re.compile(
    r"^\W*(?:how|why|where|when|who|whose|whom|do|does|did|is|are|was|were|can|could|should|will"
    r"|would|has|have|had|may|must)\b|\b(?:what|which) (?:(?:[\w-]+ ){0,3}?(?:is|was)\b"
    r"|(?:does|do|did|happens|if|about)\b)",
    re.IGNORECASE,
)
_ASKED_WHICH = re.compile(
    r"\b(?:which|what)\b|^\W*(?:list|enumerate|name|all|every)\b", re.IGNORECASE
)
_PLURAL_ASKED = re.compile(
    r"\b(?:which|what) (?:are |(?:[\w-]+ ){0,3}?[\w-]*[a-hj-rtv-z]s\b)", re.IGNORECASE
)
_PATH = re.compile(r"\w/[\w./-]*(?P<ending>\.\w+)")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NAMED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_HYPHENED = re.compile(r"\b(\w+)-(\w+)\b")
_PLURAL = re.compile(r"\b[A-Za-z][\w-]*[a-hj-rtv-z]s\b")


_SAYS = {"class": "has", "methods": "has", "variable": "holds", "key": "is"}


class _Sought(NamedTuple):
    """What the question says: its stems, those of its plain words with those of hyphened ones as
    one, the names of code in it, and the stems that name or place must explain."""

    text: str
    said: frozenset[str]
    plain: frozenset[str]
    names: frozenset[str]
    open: frozenset[str]
    methods: bool

    def means(self, name: str) -> bool:
        """Whether a name says nothing but what is asked: it is one of the names of code, or made of
        plain words of the question."""
        return name_key(name) in self.names or _telling(name) <= self.plain


class _MemberList(NamedTuple):
    """A list, the name it is known by, the stems that its place says, and what it is cited by."""

    name: str
    listing: Listing
    where: frozenset[str]
    evidence: tuple[Evidence, ...]
    kind: str
    place: str


def of_members(
    asked: Asked, records: CodeRecords, about: frozenset[str] = frozenset()
) -> list[AnswerStatement]:
    """The members that the question asks for, of the one thing that it names; `about` are the
    stems of what the project is called."""
    if not _asks_for_members(asked):
        return []
    sought = _sought(asked)
    found = _Members(records, sought).found()
    ranked = sorted(
        ((_explained(each, sought, about), len(_telling(each.name)), each) for each in found),
        key=lambda row: (-row[0], -row[1], row[2].place),
    )
    ranked = [row for row in ranked if row[0] >= _ENOUGH]
    if not ranked:
        return []
    share, words, best = ranked[0]
    rivals = [each for s, w, each in ranked[1:] if (s, w) == (share, words)]
    if any(set(each.listing.items) != set(best.listing.items) for each in rivals):
        return []
    if any(map(is_order, best.listing.items)):
        return []
    return [_said(best, share)]


def _asks_for_members(asked: Asked) -> bool:
    if asked.messages or asked.answer_type not in _OF_THINGS or _OTHERWISE.search(asked.text):
        return False
    path = _PATH.search(asked.text)
    if path and path["ending"] not in _DATA:  # its folder `read` does not ask for a `Reads`
        return False
    if asked.kind is not None:  # "which steps are there by default", "which methods has X"
        return asked.kind in _KINDS and _PLURAL_ASKED.search(asked.text) is not None
    several = asked.several or re.match(r"\W*(?:what|which) are\b", asked.text, re.IGNORECASE)
    return bool(several or _ASKED_WHICH.search(asked.text) or _PLURAL.search(asked.text))


def _sought(asked: Asked) -> _Sought:
    text = asked.text
    joined = stems(" ".join(f"{a}{b}" for a, b in _HYPHENED.findall(text)))
    said = frozenset(stems(text))
    hyphened = {stem for pair in _HYPHENED.findall(text) for stem in stems(" ".join(pair))}
    open_ = frozenset(subject_of(text)) - _HAVING - _MEMBERS
    if set(joined) & _HAVING:
        open_ -= hyphened
    code = [word for word in _NAMED.findall(text) if looks_like_identifier(word)]
    plain = stems(_NAMED.sub(lambda m: " " if m[0] in code else m[0], text))
    names = frozenset(name_key(re.split(r"[.:]", word)[-1]) for word in code)
    return _Sought(text, said, frozenset((*plain, *joined)), names, open_, bool(_METHODS & said))


def _telling(name: str) -> frozenset[str]:
    """The stems of a name's parts that say more than that a thing has members."""
    return frozenset(stems(" ".join(split_identifier(name)))) - _COMES


def _explained(members: _MemberList, sought: _Sought, about: frozenset[str]) -> float:
    """How much of the question a list explains; 0 where its name says what is not asked."""
    telling = _telling(members.name)
    if not sought.means(members.name) or not (telling or members.where & sought.open):
        return 0.0
    if members.kind != "methods" and _METHOD in sought.said:
        return 0.0
    known = telling | frozenset(stems_in_parts(members.name)) | members.where | about
    if sought.methods and members.kind == "methods":
        known |= _METHODS
    known |= _joined(sought.text, known)
    left = sought.open - known
    share = 1 - len(left) / len(sought.said) if sought.said else 0.0
    if not _is_written(members.name, sought.text):
        share = min(share, _BY_WORDS)
    return share if members.listing.whole else min(share, _NOT_WHOLE)


def _joined(text: str, known: frozenset[str]) -> frozenset[str]:
    """The stems of two words that are known as one: the fuzzing client of `fuzzingclient.json`."""
    pairs = pairwise(_WORD.findall(text))
    return frozenset(
        stem for a, b in pairs if set(stems(f"{a}{b}")) & known for stem in stems(f"{a} {b}")
    )


def _is_written(name: str, text: str) -> bool:
    """Whether a name stands in the question, or all of its words do."""
    parts = split_identifier(name)
    if parts and set(stems(" ".join(parts))) <= set(stems(text)):
        return True
    words = [re.escape(part) for part in parts]
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)|\b{'[ _-]?'.join(words)}(?:e?s)?\b"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _said(members: _MemberList, share: float) -> AnswerStatement:
    verb = _SAYS[members.kind]
    return AnswerStatement(
        f"{code_span(members.name)} {verb} {_listed(members.listing)}",
        members.evidence,
        kind=EntityType.SYMBOL,
        explained=share,
    )


def _listed(listing: Listing) -> str:
    shown: list[str] = []
    for item in listing.items[:_SHOWN]:
        if sum(map(len, shown)) + len(item) > _LONGEST:
            break
        shown.append(code_span(item))
    rest = len(listing.items) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    if not listing.whole:
        return f"{', '.join(shown)} and what is taken in from elsewhere"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


class _Members:
    """The lists that may be meant, as one question asks for them."""

    def __init__(self, records: CodeRecords, sought: _Sought) -> None:
        self._records = records
        self._planner: Planner = records.planner
        self._sought = sought
        found = records.evidence[:_PASSAGES]
        self._passages = [e for e in found if e.role not in _OTHER]
        self._others = [e for e in found if e.role in _OTHER]
        self._used: dict[str, frozenset[str]] = {}
        self._lines: dict[str, CodeLines] = {}

    def found(self) -> list[_MemberList]:
        """The lists of symbols, those in the passages that were found, those of data files."""
        lists = [each for symbol in self._symbols() for each in self._of_symbol(symbol)]
        known = {(each.place, each.listing.items) for each in lists}
        for passages in (self._passages, self._others):
            in_passages = self._in_passages(passages)
            lists += [each for each in in_passages if (each.place, each.listing.items) not in known]
            if lists:
                break
        return lists

    def _symbols(self) -> list[Entity]:
        """The types and variables whose name says nothing but what is asked, of source."""
        self._used = self._uses()
        names = dict.fromkeys([*_runs(self._sought.text), *self._used])
        keys = [name_key(name) for name in list(names)[:_MOST_NAMES]]
        named = self._planner.named(keys)
        found = {
            e.entity_id: e
            for key in keys
            for e in named.get(key, ())
            if e.type == EntityType.SYMBOL
            and e.properties.get("kind") in {"variable", "class"}
            and role_of(path_of(e), code=True) not in _OTHER
            and self._sought.means(e.name.rpartition(".")[2])
        }
        return sorted(found.values(), key=lambda e: (path_of(e), e.entity_id))[:_MOST_READ]

    def _uses(self) -> dict[str, frozenset[str]]:
        """The names in the passages that are made of words of the question, and what their places
        say."""
        found: dict[str, frozenset[str]] = {}
        for each in self._passages:
            if not each.is_code:
                continue
            where = frozenset(stems_in_parts(f"{each.title} {each.path}"))
            for name in dict.fromkeys(_WORD.findall(each.text)):
                if self._is_meant(name):
                    found[name] = found.get(name, frozenset()) | where
        return found

    def _users(self, name: str) -> frozenset[str]:
        """What the places say that use a name: their paths and titles."""
        terms = dict.fromkeys(stems(" ".join(split_identifier(name))), 1.0)
        scope = self._records.pool.scope
        numbers = self._planner.match_text("code", terms, scope=scope, limit=_PASSAGES).numbers
        using = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        titles = [c.title for c in self._planner.chunks(numbers) if using.search(c.text)]
        return frozenset(stems_in_parts(" ".join(titles)))

    def _of_symbol(self, symbol: Entity) -> Iterator[_MemberList]:
        first, last = symbol.properties.get("start_line"), symbol.properties.get("end_line")
        code = self._code_of(symbol)
        if not isinstance(first, int) or not isinstance(last, int) or not code.lines:
            return
        own = symbol.name.rpartition(".")[2]
        read = code.part(first, last)
        if symbol.properties.get("kind") == "variable":
            members = [each for each in listings(read) if each.name == own][:1]
            members = members or [each for each in [alternatives(read)] if each]
        else:
            members = [each for each in self._of_type(symbol, own, read, code) if each][:1]
        where = frozenset(stems_in_parts(f"{symbol.name} {path_of(symbol)}"))
        where |= self._used.get(own, frozenset())
        if members and self._sought.open - where - _telling(own):
            where |= self._users(own)
        kind = "class" if symbol.properties.get("kind") == "class" else "variable"
        of_methods = self._sought.methods and not _telling(own) <= _METHODS
        methods = self._methods(symbol) if of_methods else None
        for said, each in (*((kind, each) for each in members), ("methods", methods)):
            evidence = self._cited(symbol, code, each) if each else ()
            if each and evidence:
                yield _MemberList(
                    own, each, where, evidence, said, f"{path_of(symbol)}:{each.first}"
                )

    def _of_type(
        self, symbol: Entity, own: str, read: CodeLines, code: CodeLines
    ) -> Iterator[Listing | None]:
        yield next((each for each in listings(read) if each.name == own), None)
        bases = symbol.properties.get("bases")
        ends = {
            part
            for base in (bases if isinstance(bases, list) else ())
            for part in split_identifier(str(base))[-1:]
        }
        yield indented(read) if ends & _ENUMERATING else None
        yield typed_constants(code, own)

    def _methods(self, symbol: Entity) -> Listing | None:
        document = symbol.properties.get("document_id")
        if symbol.properties.get("kind") != "class" or not isinstance(document, str):
            return None
        near = self._planner.neighbors(
            [document], direction="in", types=_DEFINED, limit_per_id=_MOST_DEFINED
        )[document]
        inside = [
            e
            for e in self._planner.get([r.source_entity_id for r in near]).values()
            if isinstance(e, Entity)
            and e.properties.get("kind") == "method"
            and e.name.rpartition(".")[0] == symbol.name
            and isinstance(e.properties.get("start_line"), int)
        ]
        if len(inside) < _FEWEST:
            return None
        inside.sort(key=lambda e: (_start(e), e.entity_id))
        names = tuple(dict.fromkeys(e.name.rpartition(".")[2] for e in inside))
        whole = len(near) < _MOST_DEFINED
        return Listing(symbol.name, names, _start(inside[0]), _start(inside[-1]), whole)

    def _in_passages(self, passages: Sequence[Evidence]) -> Iterator[_MemberList]:
        """The lists that are no symbols of their own: in functions, in data files."""
        for each in passages:
            is_data = each.path.endswith(_DATA)
            if not (each.is_code or is_data):
                continue
            code = _lines(each)
            where = frozenset(stems_in_parts(f"{each.title} {each.path}")) | _words(each)
            found = [
                ("variable", listing)
                for listing in listings(code)
                if self._is_meant(listing.name) and (is_data or not listing.keyed)
            ]
            if is_data:
                keys = {key for key in _WORD.findall(each.text) if self._is_meant(key)}
                values = [repeated(code, key) for key in sorted(keys)]
                found += [("key", listing) for listing in values if listing]
            for kind, listing in found:
                lines = code.part(listing.first, listing.last).lines
                cited = each._replace(
                    start_line=listing.first,
                    end_line=listing.last,
                    text="\n".join(lines),
                    score=None,
                    similarity=None,
                )
                place = f"{each.path}:{listing.first}"
                yield _MemberList(listing.name, listing, where, (cited,), kind, place)

    def _is_meant(self, name: str) -> bool:
        return bool(_telling(name)) and self._sought.means(name)

    def _code_of(self, symbol: Entity) -> CodeLines:
        path = path_of(symbol)
        if path not in self._lines:
            self._lines[path] = lines_of(path, self._records.chunks_of(symbol))
        return self._lines[path]

    def _cited(self, symbol: Entity, code: CodeLines, listing: Listing) -> tuple[Evidence, ...]:
        """The lines of a list as evidence, one piece a passage."""
        document = symbol.properties.get("document_id")
        ids = (symbol.entity_id, *([document] if isinstance(document, str) else []))
        part = code.part(listing.first, listing.last)
        runs: list[tuple[Chunk, list[int]]] = []
        for at, chunk in enumerate(part.chunks, part.first):
            if chunk is None:
                continue
            if runs and runs[-1][0].chunk_id == chunk.chunk_id:
                runs[-1][1].append(at)
            else:
                runs.append((chunk, [at]))
        return tuple(
            self._records.line_of(
                chunk, ids, symbol, at[0], [code.line(n) for n in range(at[0], at[-1] + 1)]
            )
            for chunk, at in runs[:_MOST_CITED]
        )


def _lines(each: Evidence) -> CodeLines:
    lines = tuple(each.text.split("\n"))
    return CodeLines(each.path, each.start_line, lines, (None,) * len(lines))


def _words(each: Evidence) -> frozenset[str]:
    """The stems that a file is called by, those of two of its words that stand together as well:
    `fuzzingclient.json` of the fuzzing client."""
    parts = [part for part in re.split(r"[^\w]+", each.path) if part]
    return frozenset(stems(" ".join(parts)))


def _start(entity: Entity) -> int:
    start = entity.properties.get("start_line")
    return start if isinstance(start, int) else 0


def _runs(text: str) -> Iterator[str]:
    """The words of a question, and what up to three of them that stand together are as a name;
    such a name with what a list is called besides that comes with a program."""
    words = _WORD.findall(text)
    yield from words
    for many in range(2, _LONGEST_RUN + 1):
        for at in range(len(words) - many + 1):
            run = words[at : at + many]
            yield "_".join(run)
            yield "".join(run)
    for word in words:
        if not frozenset(stems(word)) <= _HAVING:
            for with_ in _COMING:
                yield from (f"{with_}_{word}", f"{with_}{word}", f"{word}_{with_}")
