"""Whether the evidence of an answer is really there: every path, id, excerpt and hash looked up.

`check` (`contract.py`) reads a contract; this looks, and compares its sentences with what they
cite, as far as words can tell: a sentence is `quoted` when its words stand in a cited source one
after another, `recorded` when a cited record states it (both ends of a relation in their order, or
a fact, and no other words than theirs and the source's), `reworded` when one cited sentence holds
its names, its numbers and most of its words and denies as much (`by_model.supported`), or one cited
passage all that it has in backticks and its words but for a verb. Else it is `not found`: it may
still be true, and somebody has to read.

A path is a source of the store or a file of the home folder, an excerpt stands in it, a hash is
that of the source as it is now, and the graph ids are live records.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec

from quipu.answer.by_model import supported
from quipu.answer.contract import (
    ASSERT_ABOVE,
    CODE_SPAN,
    FENCED,
    MARK,
    PLACE,
    UNKNOWN,
    check,
    schema_errors,
)
from quipu.answer.dated_facts import said
from quipu.answer.wording import verb
from quipu.ports import Planner
from quipu.records.record import Entity, Episode, Fact, Relation
from quipu.records.reply import EvidenceItem, Reply
from quipu.records.schema import row_of
from quipu.text import STOP_WORDS, denies, sentences, stems, stems_in_parts

__all__ = [
    "Bearing",
    "BearingSource",
    "Disk",
    "EvidenceCheck",
    "Examined",
    "OnDisk",
    "SentenceCheck",
    "borne",
    "examine",
    "violations",
]

Bearing: TypeAlias = Literal["quoted", "recorded", "reworded", "not found"]

_WORD = re.compile(r"[^\W_]+")
_LINK = re.compile(r"\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_PIECE = re.compile(r"…|:\s")
_PLACED = re.compile(r"\s+(?:is\s+)?in\s+`+([^`]+)`+(?:\s+of\s+`+([^`]+)`+)?\W*$")
_LINE_NUMBERS = re.compile(r"(?<=\w):\d+(?:-\d+)?(?=`)")
_NAME = re.compile(r"[@\d_]|\w[A-Z]|(?<=[a-z,] )[A-Z]")
_LEADS = frozenset({"yes", "no", "later", "another source says"})
_CLOSED = re.compile(r"\s*[.;:,!?]*")


class BearingSource(NamedTuple):
    """What one piece of evidence may say: its texts, and the ids of its records."""

    texts: tuple[str, ...]
    paths: tuple[str, ...]
    graph_ids: tuple[str, ...]


class SentenceCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of an answer, and whether what it cites says it."""

    text: Annotated[str, "the sentence"]
    marks: Annotated[tuple[int, ...], "the numbers of the evidence that it cites"]
    found: Annotated[
        Bearing,
        "`quoted`: its words stand there; `recorded`: a cited record states it; `reworded`: a "
        "cited sentence has its names, numbers and most of its words; else `not found`",
    ]


def borne(
    answer: str, sources: Sequence[BearingSource], planner: Planner
) -> tuple[SentenceCheck, ...]:
    """Each sentence of `answer` with how the evidence that it cites bears it; one without a mark
    may rest on any of it."""
    checks: list[SentenceCheck] = []
    for text, marks in _sentences(answer):
        own = [sources[n - 1] for n in marks if 0 < n <= len(sources)] or list(sources)
        checks.append(SentenceCheck(text=text, marks=marks, found=_found(text, own, planner)))
    return tuple(checks)


def _sentences(answer: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(sentence or block of code, the numbers it cites): those of the next marks after it, of a
    block below a place the place's. Places say nothing."""
    waiting: list[str] = []
    at = 0
    for block in (*FENCED.finditer(answer), None):
        prose, at = answer[at : block.start() if block else None], block.end() if block else at
        places = [*PLACE.finditer(prose)]
        below = bool(block and places and not prose[places[-1].end() :].strip())
        prose = PLACE.sub("", prose)
        code = [span.span() for span in CODE_SPAN.finditer(prose)]
        start = 0
        for mark in MARK.finditer(prose):
            if any(first < mark.start() < last for first, last in code):
                continue
            waiting += _split(prose[start : mark.start()])
            numbers = tuple(int(n) for n in mark[1].split(","))
            yield from ((each, numbers) for each in waiting)
            waiting = []
            closed = _CLOSED.match(prose, mark.end())
            start = closed.end() if closed else mark.end()
        waiting += _split(prose[start:])
        if block and below:
            yield block.group(), (int(places[-1]["n"]),)
        elif block:
            waiting.append(block.group())
    yield from ((each, ()) for each in waiting)


def _split(text: str) -> list[str]:
    return [
        line[start:end]
        for line in text.split("\n")
        for start, end in sentences(line)
        if _WORD.search(line[start:end]) and not _is_lead(line[start:end].rstrip(":"))
    ]


def _found(text: str, own: Sequence[BearingSource], planner: Planner) -> Bearing:
    text = _LINE_NUMBERS.sub("", text)
    if _is_quoted(text, own):
        return "quoted"
    if _is_recorded(text, own, planner):
        return "recorded"
    passages = [(" ".join(each.paths), one) for each in own for one in each.texts]
    reworded = supported(text, passages) or _is_of_code(text, own)
    return "reworded" if reworded else "not found"


def _is_of_code(text: str, own: Sequence[BearingSource]) -> bool:
    """Whether all that stands in backticks does so in one cited text, or names its path, and of
    the words beside it, none of them a name, no more than one, such as "takes", is not of it."""
    spans = [span.group() for span in CODE_SPAN.finditer(text)]
    prose = CODE_SPAN.sub(" ", text)
    said = set(stems(prose)) - STOP_WORDS
    plainly = not FENCED.fullmatch(text) and not _NAME.search(prose)
    return (
        bool(spans)
        and plainly
        and any(
            all(_stands(span, [_in_words(one), *map(_in_words, each.paths)]) for span in spans)
            and len(said - set(stems_in_parts(one))) <= 1
            and not denies(text)
            for each in own
            for one in each.texts
        )
    )


def _is_quoted(text: str, own: Sequence[BearingSource]) -> bool:
    """Whether every piece stands in a text, word for word; of a block of code every line."""
    texts = [_in_words(_LINK.sub("]", one)) for each in own for one in each.texts]
    texts += [_in_words(one) for each in own for one in each.texts]
    names = [_in_words(path) for each in own for path in each.paths]
    if FENCED.fullmatch(text):
        pieces = [piece for line in text.split("\n")[1:-1] for piece in line.split("…")]
    else:
        placed = _PLACED.search(text)
        if placed and all(_stands(each, names) for each in placed.groups() if each):
            text = text[: placed.start()]
        pieces = _PIECE.split(text)
    told = [each for each in pieces if _in_words(each).strip() and not _is_lead(each)]
    return bool(told) and all(_stands(each, [*texts, *names]) for each in told)


def _is_lead(piece: str) -> bool:
    return _in_words(piece).strip() in _LEADS or re.fullmatch(r"In `+[^`]+`+", piece) is not None


def _stands(piece: str, texts: Sequence[str]) -> bool:
    words = _in_words(piece)
    return any(words in text for text in texts)


def _in_words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_recorded(text: str, own: Sequence[BearingSource], planner: Planner) -> bool:
    """Whether a relation or a fact that is cited states it: it names both ends in their order, and
    says nothing that is not theirs or their source's, and no more "not" than they do."""
    records = planner.get(sorted({id_ for each in own for id_ in each.graph_ids}))
    sentence = " ".join(_WORD.findall(text.casefold()))
    known = {s for each in own for one in (*each.texts, *each.paths) for s in stems_in_parts(one)}
    stated = False
    for record in records.values():
        if isinstance(record, Fact):
            known |= set(stems_in_parts(f"{said(record)} {record.subject} {record.object}"))
            ends = (record.subject, record.object)
        elif isinstance(record, Relation):
            both = planner.get([record.source_entity_id, record.target_entity_id])
            ends = tuple(
                _name(both.get(id_)) for id_ in (record.source_entity_id, record.target_entity_id)
            )
            row = row_of(record.type)
            words = f"{verb(record.type, 1)} {verb(record.type, 2)} {row.between_symbols}"
            known |= set(stems_in_parts(f"{' '.join(ends)} {words}"))
        else:
            continue
        places = [sentence.find(" ".join(_WORD.findall(end.casefold()))) for end in ends if end]
        stated |= len(places) == len(ends) and -1 not in places and places == sorted(places)
    left = {s for s in stems(text) if s not in STOP_WORDS} - known
    denied = any(isinstance(r, Fact) and denies(said(r)) for r in records.values())
    return stated and not left and denies(text) <= denied


def _name(record: object) -> str:
    return record.name if isinstance(record, Entity) else ""


_SPACE = re.compile(r"\s+")
_LINES = re.compile(r"(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)$")


class OnDisk(NamedTuple):
    """A file of the home folder: its text, and the hashes it may be cited by."""

    text: str
    shas: tuple[str, ...]


Disk = Callable[[str], OnDisk | None]
"""Gives a file of the home folder by its path from there; None where there is none."""


class EvidenceCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of evidence: `n` is its number in the answer, `errors` say what is not there."""

    n: Annotated[int, "its number in the answer"]
    ok: Annotated[bool, "whether all that it names is there"]
    graph_ids: Annotated[tuple[str, ...], "as given"]
    file_paths: Annotated[tuple[str, ...], "as given"]
    errors: Annotated[tuple[str, ...], "what is not there, or not so"]


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a contract holds: what breaks it as a whole, how each piece of evidence is, and
    whether it says what each sentence of the answer says."""

    ok: Annotated[bool, "whether the contract holds (else exit code 1)"]
    errors: Annotated[tuple[str, ...], "what breaks it as a whole, in words"]
    evidence: Annotated[tuple[EvidenceCheck, ...], "each piece of evidence, looked up"]
    sentences: Annotated[
        tuple[SentenceCheck, ...], "each sentence of the answer, compared with what it cites"
    ]


class _KnownPath(NamedTuple):
    """What is known of a path: its passages in their order, other text, and its hashes."""

    passages: tuple[str, ...]
    shas: tuple[str, ...]
    previews: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that an excerpt may stand in."""
        return (*self.passages, *self.previews)


def examine(contract: Mapping[str, object], planner: Planner, *, disk: Disk) -> Examined:
    """Check `contract` (plain JSON data) and look up all that its evidence names."""
    errors = check(contract)
    try:
        items = msgspec.convert(contract.get("evidence"), list[EvidenceItem])
    except msgspec.ValidationError:
        items = list[EvidenceItem]()
    rows = tuple(
        EvidenceCheck(
            n=n,
            ok=not (wrong := tuple(_unfounded(item, planner, disk))),
            graph_ids=item.graph_ids,
            file_paths=item.file_paths,
            errors=wrong,
        )
        for n, item in enumerate(items, 1)
    )
    answer = contract.get("answer")
    told = answer if isinstance(answer, str) and answer.strip() != UNKNOWN else ""
    sentences = borne(told, [_bearing(item, planner, disk) for item in items], planner)
    sound = all(row.ok for row in rows) and all(s.found != "not found" for s in sentences)
    return Examined(
        ok=not errors and sound, errors=tuple(errors), evidence=rows, sentences=sentences
    )


def violations(reply: Reply, planner: Planner, *, assert_above: float = ASSERT_ABOVE) -> list[str]:
    """Everything a reply breaks: the schema itself, the promises of `check`, that its evidence is
    in the store, and that its citations are its evidence, one by one."""
    contract = reply.contract
    errors = schema_errors(msgspec.json.decode(msgspec.json.encode(contract))) or check(
        contract, confidence=reply.confidence.value, assert_above=assert_above
    )
    for n, item in enumerate(contract.evidence, 1):
        errors += [f"evidence {n}: {error}" for error in _unfounded(item, planner, _no_disk)]
    if [c.n for c in reply.citations] != list(range(1, len(contract.evidence) + 1)):
        errors.append("the citations do not number the evidence")
    for citation, item in zip(reply.citations, contract.evidence, strict=False):
        if citation.path not in item.file_paths or citation.graph_ids != item.graph_ids:
            errors.append(f"citation {citation.n} is not evidence {citation.n}")
        if not 0 <= citation.match <= 1 or citation.start_line > citation.end_line:
            errors.append(f"citation {citation.n} has a match or lines that cannot be")
    return errors


def _bearing(item: EvidenceItem, planner: Planner, disk: Disk) -> BearingSource:
    """What a piece of evidence may say: the sources at its paths; its excerpt is a part of one."""
    found = [source for path in item.file_paths if (source := _source(path, planner, disk))]
    texts = tuple(text for source in found for text in source.texts)
    return BearingSource(texts, item.file_paths, item.graph_ids)


def _no_disk(_: str) -> None:
    return None


def _unfounded(item: EvidenceItem, planner: Planner, disk: Disk) -> Iterator[str]:
    known = planner.get(sorted(set(item.graph_ids)))
    for record_id in item.graph_ids:
        if record_id not in known:
            yield f"the graph has no live record {record_id!r}"
    sources: list[_KnownPath] = []
    for path in item.file_paths:
        found = _source(path, planner, disk)
        if found is None:
            yield f"{path!r} is neither a source of the memory nor a file of its folder"
        else:
            sources.append(found)
    if not sources:
        return
    if item.source_sha and not any(item.source_sha in each.shas for each in sources):
        yield f"the source_sha {item.source_sha!r} is not that of {_listed(item.file_paths)} now"
    if item.excerpt.strip() and not any(_holds(each, item.excerpt) for each in sources):
        yield f"the excerpt {item.excerpt[:60]!r} does not stand in {_listed(item.file_paths)}"


def _source(path: str, planner: Planner, disk: Disk) -> _KnownPath | None:
    for ref in dict.fromkeys((path, _LINES.sub("", path))):
        stored = _stored(ref, planner)
        if stored is not None:
            return stored
        if (file := disk(ref)) is not None:
            return _KnownPath((file.text,), file.shas)
    return None


def _stored(ref: str, planner: Planner) -> _KnownPath | None:
    sources = planner.sources(refs=[ref])
    episodes = planner.get([source.episode_id for source in sources]).values()
    found = [each for each in episodes if isinstance(each, Episode)]
    if not found:
        return None
    documents = sorted({each.document_id for each in found if each.document_id})
    numbers = planner.numbers_in(documents)
    return _KnownPath(
        tuple(c.text for each in documents for c in planner.chunks(numbers[each])),
        tuple(sha for each in found for sha in (each.source_sha, each.content_hash) if sha),
        tuple(each.preview_text for each in found),
    )


def _holds(source: _KnownPath, excerpt: str) -> bool:
    """Whether the excerpt stands in the source; spaces do not count. `…` at its ends stands for
    what was cut; parts that it joins must stand in one passage, in that order."""
    pieces = [flat for piece in excerpt.split("…") if (flat := _flat(piece))]
    texts = [_flat(text) for text in source.texts]
    if len(pieces) == 1:
        texts.append(" ".join(map(_flat, source.passages)))
    return bool(pieces) and any(_in_order(pieces, text) for text in texts)


def _in_order(pieces: Sequence[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _listed(paths: Sequence[str]) -> str:
    return " or ".join(repr(path) for path in paths)
