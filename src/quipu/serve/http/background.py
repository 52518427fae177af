"""Texts that are accepted now and written after, while the caller has gone on."""

import logging
import threading

from quipu.errors import QuipuError
from quipu.handle.dates import first_instant
from quipu.memory import Memory
from quipu.serve.http.shapes import NewEpisode
from quipu.write.jobs import Job
from quipu.write.texts import TextInput, settled

__all__ = ["accept_text"]

_LOG = logging.getLogger("quipu.serve.http")


def accept_text(memory: Memory, given: NewEpisode) -> Job:
    """Accept a text as a job, which is not lost from here on, and write it in the background.
    Raises InvalidInput."""
    text = TextInput(
        text=given.text,
        source_ref=given.source_ref or "",
        title=given.title,
        group=given.group,
        observed_at=given.observed_at or "",
        properties={"expires": first_instant(given.expires)} if given.expires else {},
    )
    (job,) = memory.give([settled(text, memory.clock())])
    threading.Thread(target=_work, args=(memory, job), name="quipu-job").start()
    return job


def _work(memory: Memory, job: Job) -> None:
    try:
        for _ in memory.work_on([job]):
            pass
    except QuipuError as error:  # it is left to whoever writes next
        _LOG.warning("job %s waits: %s", job.job_id, error)
