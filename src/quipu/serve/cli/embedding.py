"""`embed`: the vectors that are lacking."""

from collections.abc import Callable

from quipu.memory import Memory
from quipu.records.progress import Progress
from quipu.serve.operations import Command, operation
from quipu.write.embedding_progress import embedding_progress
from quipu.write.report import IndexReport

__all__: list[str] = []


@operation("write", Command())
def embed(
    memory: Memory,
    tell: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> IndexReport:
    """Make the vectors that are lacking.

    What a run that was stopped has made stays. Where another process makes them already, this one
    says so and ends.

    $ quipu embed
    """
    if embedding_progress(memory.home.state) is None:
        return memory.embed_lacking(progress=progress)
    tell("another process makes them already: `quipu status` tells how far it is")
    return memory.add_documents([], embed=False)
