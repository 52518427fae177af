"""`get`, `facts`, `add` and `forget`: single records, in and out, as a person reads them."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import click
import msgspec

from quipu.answer.dated_facts import said
from quipu.errors import InvalidInput
from quipu.kinds.reports.model import REPORT
from quipu.memory import Memory
from quipu.read.decode import decode, is_binary
from quipu.records.record import Episode, Fact
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import counted, cut, width
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import (
    DATE,
    properties,
    property_option,
    read_standard_bytes,
    remembered,
    whom,
)
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_facts import fact_lines
from quipu.serve.cli.view_relations import relation_lines
from quipu.serve.lookups import added, looked_up
from quipu.serve.shapes import Added, Forgotten, Opened, Rescanned

__all__ = ["add", "forget", "get", "rescan"]

_LONG = ("text", "preview_text", "summary_text", "description")
_OF_REPORTS = ("preview_text", "properties")  # its summary_text is the whole of it
_SHOWN, _FEW = 40, 5


@command(
    "get",
    "quipu get src/db/client.py:40-60",
    "quipu get 'payment service'",
    "quipu get --json ch_0123456789abcdef01234567",
)
@click.argument("ref", type=whom)
def get(ref: str) -> None:
    """Show what REF names: an id, a path, path:12-40, a source or a unique name.

    A document lists its passages; a thing its relations and statements; both the sources that
    assert them.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        shown = looked_up(memory, remembered(memory, ref))
        labels = Labels(memory)
        run.show(shown, lambda: _opened_lines(shown, labels))


@command(
    "add",
    "quipu add 'Releases are cut on Tuesdays' --title Releases",
    "quipu add --file notes.md --source-ref notes/2026-01",
    "git log -1 | quipu add -",
)
@click.argument("text", required=False)
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the text from this file.",
)
@click.option("--title", default="", help="What the text is called.")
@click.option("--source-ref", metavar="REF", help="What a citation opens.  [default: manual:…]")
@click.option(
    "--source-type",
    metavar="NAME",
    default="manual_ingest",
    show_default=True,
    help="What kind of source it is.",
)
@click.option("--group", metavar="NAME", default="", help="Its conversation or repository.")
@click.option("--observed-at", type=DATE, help="When it was true to say it.  [default: now]")
@click.option("--expires", type=DATE, help="From then on it is no longer recalled.")
@click.option("--no-embed", is_flag=True, help="Leave the vectors for the next run.")
@property_option
def add(
    text: str | None,
    file: Path | None,
    title: str,
    source_ref: str | None,
    source_type: str,
    group: str,
    observed_at: str | None,
    expires: str | None,
    no_embed: bool,
    pairs: tuple[str, ...],
) -> None:
    """Remember TEXT, the text of a file, or standard input (-).

    Another text under the same --source-ref replaces the first; the same text changes nothing,
    whatever date or title comes with it. --observed-at lies between the year 1000 and a day from
    now.
    """
    run = invocation()
    content, kept = _text(run, text, file), properties(pairs)
    with run.open() as memory:
        episode_id = memory.add(
            content,
            source_ref=source_ref,
            title=title,
            source_type=source_type,
            group=group,
            observed_at=observed_at,
            expires=expires,
            properties=kept,
            embed=not no_embed,
        )
        done = added(memory, episode_id)
        run.show(done, lambda: _added_lines(memory, done))


def _added_lines(memory: Memory, done: Added) -> Iterator[str]:
    erasing = f"quipu forget {done.episode_id}"
    if not done.unchanged:
        yield f"Remembered as {done.episode_id}."
        yield from _told("Read", done.facts)
        yield from _told("This replaces", done.replaces)
        yield f"Erase it with: {erasing}"
        return
    kept = memory.graph.get([done.episode_id]).get(done.episode_id)
    dated = f", of {kept.observed_at[:10]}" if isinstance(kept, Episode) else ""
    yield f"Known already as {done.episode_id}{dated}: nothing was changed."
    yield f"To give it another date or title, erase it first: {erasing}"


def _told(lead: str, facts: Sequence[Fact]) -> Iterator[str]:
    """The first of some facts as sentences, and how many more there are."""
    for fact in facts[:_FEW]:
        yield safe(f"{lead}: {said(fact)}.", line=True)
    if len(facts) > _FEW:
        yield f"  … and {len(facts) - _FEW:,} more: `quipu facts`"


def _text(run: Invocation, text: str | None, file: Path | None) -> str:
    if file is not None:
        if text is not None:
            raise InvalidInput("a text and --file were both given: choose one")
        return _decoded(run, file.read_bytes(), repr(str(file)))
    if text is None and sys.stdin.isatty():
        raise InvalidInput("no text was given: write it after `add`, name a --file, or pipe it in")
    if text in (None, "-"):
        return _decoded(run, read_standard_bytes(), "standard input")
    return str(text)


def _decoded(run: Invocation, data: bytes, name: str) -> str:
    """What `name` holds, as text. Raises InvalidInput for what is none."""
    if is_binary(data):
        raise InvalidInput(
            f"{name} is binary (it holds NUL bytes): save it as UTF-8; `quipu index` reads "
            "documents of other formats"
        )
    text, warning = decode(data)
    if warning:
        run.note(f"{name} {warning}")
    return text


@command("forget", "quipu forget docs/old.md", "quipu forget --yes manual:3f2a90c1")
@click.argument("refs", nargs=-1, metavar="[REF]...")
@click.option("--expired", is_flag=True, help="Erase what has expired (`quipu status` counts it).")
@click.option("--yes", is_flag=True, help="Do not ask; without a terminal it must be given.")
def forget(refs: tuple[str, ...], expired: bool, yes: bool) -> None:
    """Erase sources and all that only they said, history included.

    REF is a source (a path, manual:…), a document's id or an episode's id. The file itself is
    left alone: indexing it again brings it back, unless .quipuignore names it.
    """
    run = invocation()
    if bool(refs) == expired:
        raise InvalidInput("name the sources to erase, or give --expired: one of the two")
    if not yes:
        what = "all that has expired" if expired else counted(len(refs), "source")
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise InvalidInput(
                f"there is no terminal to ask whether {what} shall be erased for good: give --yes"
            )
        click.confirm(f"Erase {what} for good?", abort=True, err=True)
    with run.open() as memory:
        if expired:
            count = memory.purge_expired()
        else:
            count = memory.forget([remembered(memory, ref) for ref in refs])
        shown = Forgotten(refs=refs, episodes=count)
        run.show(
            shown, lambda: [f"Erased {counted(count, 'episode')} and all that only they said."]
        )


@command("rescan", "quipu rescan")
def rescan() -> None:
    """Redact what is stored, and part entries that were merged, with the rules of today.

    After an upgrade that knows more secrets, or merges less. Exports, backups and files are not
    touched; `quipu embed` makes the vectors anew that were dropped.
    """
    from quipu.agents.entries import Entries

    run = invocation()
    with run.open() as memory:
        refs = memory.rescan()
        parted = Entries(memory).part()
    said = [f"Redacted {counted(len(refs), 'source')}.", *(f"  {safe(ref)}" for ref in refs)]
    if parted:
        stored = counted(len(parted), "entry", "entries")
        said += [f"Stored {stored} apart.", *(f"  {safe(each)}" for each in parted)]
    run.show(Rescanned(sources=tuple(refs), parted=parted), lambda: said)


def _opened_lines(opened: Opened, labels: Labels) -> Iterator[str]:
    """A record: its fields, its text, its passages, its relations, its statements, who asserts
    it."""
    record = opened.record
    fields = msgspec.to_builtins(record)
    hidden = _OF_REPORTS if fields.get("source_type") == REPORT else ()
    yield style(safe(f"{opened.kind}  {_id(fields)}").replace("\n", r"\n"), bold=True)
    for key, value in fields.items():
        if key in hidden or key in _LONG or (key.endswith("_id") and value == _id(fields)):
            continue
        yield from _field(key, value)
    for key in _LONG:
        if fields.get(key) and key not in hidden:
            yield ""
            yield from (f"  {safe(line)}" for line in str(fields[key]).split("\n"))
    if opened.chunks:
        yield ""
        yield style(f"Passages ({len(opened.chunks)})", bold=True)
        for chunk in opened.chunks[:_SHOWN]:
            title = cut(chunk.title, 60)
            line = f"{chunk.start_line}-{chunk.end_line}  {title}  {chunk.chunk_id}"
            yield "  " + safe(line, line=True)
        yield from _more(len(opened.chunks))
    if opened.relations:
        yield ""
        yield style(f"Relations ({len(opened.relations)})", bold=True)
        yield from ("  " + line for line in relation_lines(opened.relations[:_SHOWN], labels))
        yield from _more(len(opened.relations))
    if opened.facts:
        yield ""
        yield style(f"Statements ({len(opened.facts)})", bold=True)
        yield from ("  " + line for line in fact_lines(opened.facts[:_SHOWN], labels))
        yield from _more(len(opened.facts))
    yield from _support_lines(opened, labels)


def _id(fields: dict[str, object]) -> object:
    names = ("chunk_id", "entity_id", "rel_id", "fact_id", "episode_id", "path")
    return next((fields[name] for name in names if name in fields), "")


def _field(key: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner, each in cast("dict[str, object]", value).items():
            yield from _field(f"{key}.{inner}", each)
    elif value not in (None, "", [], ()):
        shown = str(value)
        if isinstance(value, list | tuple):
            shown = ", ".join(str(each) for each in cast("Sequence[object]", value))
        yield f"  {safe(key)}: {cut(safe(shown, line=True), 4 * width())}"


def _support_lines(opened: Opened, labels: Labels) -> Iterator[str]:
    if not opened.support:
        return
    yield ""
    yield style(f"Asserted by ({len(opened.support)})", bold=True)
    for each in opened.support[:_SHOWN]:
        places = ", ".join(labels[chunk] for chunk in each.chunk_ids[:3])
        ended = f", until {each.known_until}" if each.known_until else ""
        where = places or labels[each.episode_id]
        yield "  " + safe(f"{where}  since {each.recorded_at}{ended}", line=True)
    yield from _more(len(opened.support))


def _more(count: int) -> Iterator[str]:
    if count > _SHOWN:
        yield f"  … {count - _SHOWN:,} more: --json has them all"
