"""An answer from what was found: by the language model where there is one, else by itself; and
what stands in for a model that fails is said in the limitations."""

from collections.abc import Callable

from quipu.answer import answer
from quipu.config import Config
from quipu.errors import MissingExtra, ModelUnavailable
from quipu.handle.model import FELL_BACK
from quipu.ports import Chat, Embedder, Planner
from quipu.records.reply import Reply, Retrieved
from quipu.when.instants import Clock

__all__ = ["answered"]


def answered(
    question: str,
    found: Retrieved,
    graph: Planner,
    *,
    config: Config,
    clock: Clock,
    embedder: Embedder | None,
    chat: Callable[[], Chat | None],
) -> Reply:
    """The reply under the contract; a model that fails never fails the question."""

    def made(model: Embedder | None, remarks: tuple[str, ...]) -> Reply:
        return answer(
            question,
            found,
            graph,
            clock=clock,
            floor=config.answer.floor,
            assert_above=config.answer.assert_above,
            embedder=model,
            chat=writer,
            remarks=remarks,
        )

    remarks = tuple(note for note in found.plan.notes if note.startswith(FELL_BACK))
    writer: Chat | None = None
    try:
        writer = chat() if config.chat.write_answers else None
    except (ModelUnavailable, MissingExtra) as error:
        remarks = (*remarks, f"The language model cannot be asked: {error}.")
    try:
        return made(embedder, remarks)
    except (ModelUnavailable, MissingExtra) as error:
        return made(None, (*remarks, f"{FELL_BACK}failed ({error}); sentences were not compared."))
