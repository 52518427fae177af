"""Questions: planned, retrieved and answered; answers checked."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from quipu.errors import InvalidInput, MissingExtra, ModelUnavailable
from quipu.handle.expiry import unexpired
from quipu.handle.filters import known_scope
from quipu.handle.handle import Handle
from quipu.handle.lookup import Passage, look_up
from quipu.handle.models import FELL_BACK
from quipu.handle.status import age_notes
from quipu.kinds.reports.api import Reports
from quipu.limits import LARGEST_FILE, LONGEST_ENTRY
from quipu.memory.facts import fact_passages, with_dates
from quipu.memory.freshness import Freshness, cited_by, doubted, marked
from quipu.ports import Chat, Embedder
from quipu.question import Question, read_question
from quipu.records.ids import kind_of
from quipu.records.plan import Mode, Plan
from quipu.records.record import Record
from quipu.records.reply import Reply, Retrieved
from quipu.records.scope import EVERYTHING, Scope
from quipu.text import composed, stems

if TYPE_CHECKING:
    from quipu.answer.examine import Examined, OnDisk

__all__ = ["Questions"]


class Questions(Handle):
    """A memory as it is asked: by its passages, or by its reports in the mode `global`."""

    @cached_property
    def freshness(self) -> Freshness:
        """Whether the files that a result cites are as they were read."""
        return Freshness(self)

    @cached_property
    def reports(self) -> Reports:
        """What is reported of communities in the graph; called, the reports that stand."""
        return Reports(self)

    def plan(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
        touched: Sequence[str] = (),
    ) -> Plan:
        """What may be used for `question`, frozen, before any text is fetched.

        `touched` are paths of files that the change in question touches: commits are ranked by
        them too. Raises InvalidInput for a word in `scope` that nothing here uses.
        """
        if not question.strip():
            raise InvalidInput("the question is empty: ask something, for example 'who owns X?'")
        cut = _cut(question)
        asked = read_question(composed(question[:LONGEST_ENTRY]))
        known_scope(scope, self.store)
        if mode == "global":
            return self.reports.plan(asked, scope)
        from quipu.plan import only_apart, plan

        chosen = mode or self.config.search.mode
        asks_facts = use_graph and chosen == "local" and not only_apart(scope)
        if self.store.spaces():
            self.models.expect()
        passages = fact_passages(self, asked, scope) if asks_facts else None

        def planned(embedder: Embedder | None, notes: tuple[str, ...]) -> Plan:
            space = embedder.space if embedder else None
            made = plan(
                asked,
                self.models.reading(self.graph, space),
                embedder,
                mode=chosen,
                scope=scope,
                use_graph=use_graph,
                fact_passages=passages,
                touched=touched,
            )
            return msgspec.structs.replace(made, notes=(*cut, *notes, *made.notes))

        return self.models.tried(asked.text, self.store, planned)

    def retrieve(self, plan: Plan, *, limit: int | None = None, explain: bool = False) -> Retrieved:
        """The best passages inside `plan`, best first; Leakage if one is from outside. One whose
        file has changed since it was read says so."""
        found = self._retrieved(plan, limit, explain=explain)
        return marked(found, self.freshness.changes(cited_by(found)))

    def search(
        self,
        question: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
        explain: bool = False,
        touched: Sequence[str] = (),
    ) -> Retrieved:
        """Plan and retrieve: the passages for `question`, each with why it stands there. Files
        of theirs that have changed are read again first; where that cannot be, they say so."""

        def made() -> Retrieved:
            with self.store.visit():
                plan = self.plan(
                    question, mode=mode, scope=scope, use_graph=use_graph, touched=touched
                )
                return self._retrieved(plan, limit, explain=explain)

        return marked(*self.freshness.kept(made, cited_by))

    def ask(
        self,
        question: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
        offline: bool = False,
    ) -> Reply:
        """An answer under the contract, cited, or `unknown`; never an exception for lack of
        evidence. `offline` asks no language model, though one be configured. Files that it
        cites and that have changed are read again first; where that cannot be, it is not sure."""
        shown = self._shown(limit)

        def read() -> Retrieved:
            with self.store.visit():
                plan = self.plan(composed(question), mode=mode, scope=scope, use_graph=use_graph)
                return self._read(plan, limit)

        def made() -> Reply:
            found, _ = self.freshness.kept(read, lambda found: cited_by(found, shown))
            return self._answered(found, limit=limit, offline=offline)

        return doubted(*self.freshness.kept(made, cited_by))

    def get(self, ref: str) -> Record | Passage:
        """What `ref` names: any id, a path, `path:12-40`, a source (`session:…`) or a unique
        name; a file that has changed is read again first. Raises UnknownRecord with the nearest
        candidates."""
        if kind_of(ref) is not None:  # a record, whatever has become of its source
            return look_up(self.graph, ref)
        return self.freshness.looked_up(lambda: look_up(self.graph, ref))[0]

    def check_contract(self, reply: Mapping[str, object]) -> "Examined":
        """Whether an answer contract (or an envelope that holds one under `contract`, as
        `quipu ask --json` prints it) holds, with all that its evidence names looked up."""
        from quipu.answer.examine import examine

        inner = reply.get("contract")
        contract = cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) else reply
        return examine(contract, self.store, disk=partial(_file, self.home.folder.resolve()))

    def _retrieved(self, plan: Plan, limit: int | None, *, explain: bool = False) -> Retrieved:
        """The best passages inside `plan`, whatever has become of their files."""
        from quipu.retrieve import retrieve

        chosen = self._shown(limit)
        if chosen < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        if plan.mode == "global":
            return self.reports.retrieve(plan, chosen)

        def kept(model: Embedder | None) -> Retrieved:
            planner = self.models.reading(self.graph, plan.space)
            fetch = partial(retrieve, plan, planner, model, explain=explain)
            return unexpired(self.store, lambda n: fetch(limit=n), chosen, self.clock())

        with self.store.moment():
            found = with_dates(self, plan, self.models.within(plan.space, kept))
        return msgspec.structs.replace(found, notes=(*found.notes, *age_notes(self)))

    def _shown(self, limit: int | None) -> int:
        """How many passages come back."""
        return self.config.search.limit if limit is None else limit

    def _read(self, plan: Plan, limit: int | None) -> Retrieved:
        """What is read for an answer of which `limit` passages are shown: some kinds of source read
        more of theirs, which are found further behind where others stand among them."""
        from quipu.answer.kinds import answers_of_kinds, of_one_kind

        shown = self._shown(limit)
        if shown < 1 or plan.mode == "global":
            return self._retrieved(plan, limit)
        most = max(each.reads for each in answers_of_kinds())
        found = self._retrieved(plan, max(shown, most))
        further = 4 * most if of_one_kind(found.hits) else 0
        return self._retrieved(plan, further) if further > shown else found

    def _answered(self, retrieved: Retrieved, *, limit: int | None, offline: bool) -> Reply:
        """The reply under the contract: by the language model where there is one, else by itself.
        Where a kind of source has a way of its own, and others stand before it, the surer reply
        counts: by all, or by that kind alone. What stands in for a model that fails is said in the
        limitations."""
        from quipu.answer import answer
        from quipu.answer.kinds import read_of

        asked = read_question(retrieved.plan.question)
        shown = retrieved.hits[: self._shown(limit)]
        if retrieved.plan.mode == "global":
            found = msgspec.structs.replace(retrieved, hits=shown)
            return self.reports.answer(asked, found)
        found = msgspec.structs.replace(retrieved, hits=read_of(retrieved.hits, len(shown)))
        embedder = self.models.comparing(found.plan.space)
        remarks = tuple(note for note in found.plan.notes if note.startswith(FELL_BACK))
        writer: Chat | None = None
        try:
            writer = self.chat if self.config.chat.write_answers and not offline else None
        except (ModelUnavailable, MissingExtra) as error:
            remarks = (*remarks, f"The language model cannot be asked: {error}.")

        def made(
            found: Retrieved, model: Embedder | None, chat: Chat | None, remarks: tuple[str, ...]
        ) -> Reply:
            with nullcontext() if chat else self.store.visit():  # a model takes its time
                return answer(
                    asked,
                    found,
                    self.graph,
                    clock=self.clock,
                    floor=self.config.answer.floor,
                    assert_above=self.config.answer.assert_above,
                    embedder=model,
                    chat=chat,
                    remarks=remarks,
                )

        try:
            apart = _each_alone(asked, found)
            chat = writer if len(apart) == 1 else None
            replies = [(made(each, embedder, chat, remarks), each) for each in apart]
            reply, found = max(replies, key=lambda pair: pair[0].confidence.value)
            if chat is not writer:
                reply = made(found, embedder, writer, remarks)
        except (ModelUnavailable, MissingExtra) as error:
            failed = f"{FELL_BACK}failed ({error}); sentences were not compared."
            reply = made(found, None, writer, (*remarks, failed))
        return msgspec.structs.replace(reply, hits=shown)


def _cut(question: str) -> tuple[str, ...]:
    """That a question is read in part, in words; nothing of one that is read whole."""
    if len(question) <= LONGEST_ENTRY:
        return ()
    return (f"Of the question's {len(question):,} characters {LONGEST_ENTRY:,} were read.",)


def _each_alone(question: Question, found: Retrieved) -> list[Retrieved]:
    """What was found and, where a kind of source has a way of its own and others stand before it,
    what was found of that kind, if that speaks of all that the question names."""
    from quipu.answer.kinds import of_one_kind

    own = of_one_kind(found.hits)
    if not own or own[0] == found.hits[0]:
        return [found]
    said = {stem for hit in own for stem in stems(f"{hit.title} {hit.text}")}
    named = {stem for name in question.name_keys for stem in stems(name)}
    return [found, msgspec.structs.replace(found, hits=own)] if named <= said else [found]


def _file(folder: Path, path: str) -> "OnDisk | None":
    """A file of `folder`; None for what is none, leads out of it or is very large."""
    from quipu.answer.examine import OnDisk
    from quipu.read.decode import decode
    from quipu.read.source import content_hash, git_blob_id

    try:
        place = (folder / path).resolve()
        if not place.is_relative_to(folder) or not place.is_file():
            return None
        if place.stat().st_size > LARGEST_FILE:
            return None
        data = place.read_bytes()
        return OnDisk(decode(data)[0], (content_hash(data), git_blob_id(data)))
    except (OSError, ValueError, InvalidInput):  # ValueError: a NUL in the path
        return None
