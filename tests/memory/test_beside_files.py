"""A conversation in the memory of a repository: what it answers is told, and so is what files
answer."""

from collections.abc import Iterator

import pytest

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

pytestmark = pytest.mark.model
NOW = "2026-06-20T12:00:00.000Z"
FILES = {
    "docs/serving.md": "# Serving\n\nThe HTTP server listens on port 8765 by default.",
    "docs/jobs.md": "# Jobs\n\nA nightly job takes its work from the queue, and a worker one job "
    "of the queue at a time; it reports to the journal.",
    "docs/reports.md": "# Reports\n\nA report is sent to whoever the job reports to, in July too.",
    "src/titles.py": 'def job_title(job: Job) -> str:\n    """The title of a job as it is."""\n'
    "    return job.title\n",
}
SAID = (
    ("2026-01-05", "Hello! I started as a staff nurse on the renal ward today."),
    ("2026-01-05", "My manager is Gemma Oduya, she seems fair."),
    ("2026-03-12", "Big day: they made me junior sister. From July I answer to Philippa Strand."),
    ("2026-03-30", "The bus is hopeless, so I cycle in now, rain or shine."),
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with Memory.open(folder / ".quipu" / "quipu.db", clock=lambda: NOW) as opened:
        opened.index(folder)
        turns = tuple(
            Turn(
                session_id="s",
                offset=place,
                speaker="user",
                role="user",
                text=text,
                time=f"{day}T10:0{place}:00.000Z",
            )
            for place, (day, text) in enumerate(SAID, 1)
        )
        opened.add_sessions([Transcript(session_id="s", group="s", turns=turns)])
        yield opened


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who will I report to from July?", "Philippa Strand"),
        ("Which port does the server listen on?", "8765"),
    ],
)
def test_each_is_answered_by_what_tells_it(memory: Memory, question: str, words: str) -> None:
    assert words in memory.ask(question).contract.answer
