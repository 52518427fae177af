"""Which bookmarks are in a folder: what no single passage of them says."""

import re
from collections.abc import Sequence

from quipu.answer.gate import Evidence
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.support import EvidencePool, support
from quipu.answer.wording import LISTED, listed
from quipu.ports import Planner
from quipu.records.plan import Plan
from quipu_bookmarks.model import in_folder

__all__ = ["ANSWERS", "BookmarkAnswers"]

_ASKED = re.compile(
    r"^\s*(?:which|what|list|show)\b.*\bbookmarks?\b.*\b(?:in|under)\s+(?:the\s+|my\s+)?"
    r"(?:folder\s+)?[\"'“]?(?P<folder>[^\"'”?]+?)[\"'”]?(?:\s+folder)?\s*[?.!]*\s*$",
    re.IGNORECASE,
)


class BookmarkAnswers(Answers):
    """What bookmarks say."""

    def listed(
        self, plan: Plan, graph: Planner, found: Sequence[Evidence], *, now: str
    ) -> AnswerStatement | None:
        """All that are in the folder that is asked about; None where there is no such folder."""
        asked = _ASKED.match(plan.question)
        held = in_folder(graph, asked["folder"]) if asked else []
        if not held:
            return None
        seen = EvidencePool(found, plan.scope)
        told = [
            (bookmark.title, sources[0])
            for bookmark, relation in held
            if (sources := support(graph, relation.rel_id, seen, relation)[1])
        ]
        verb = "is" if len(told) == 1 else "are"
        said = f"{listed([title for title, _ in told])} {verb} in {asked['folder']}"
        return AnswerStatement(said, tuple(source for _, source in told[:LISTED]), kind="bookmarks")


ANSWERS = BookmarkAnswers()
