"""How broad a question is: about everything, about one subject, and whether it asks how that
stands."""

import re
from typing import NamedTuple

from quipu.text import stems, tokens

__all__ = ["Breadth", "read_breadth"]

# What asks for an overview, and names no subject.
_OVERVIEW = frozenset(
    stems(
        """theme themes main major key central topic topics subject subjects area areas
    overview overall summary summarize summarise sum general broad gist big picture important
    repository repo project codebase code base software library package memory memories namespace
    store documents document docs documentation notes files sources conversation conversations
    chat chats discussion session sessions content contents everything all knowledge here there
    about kind sort thing things hold holds contain contains cover covers describe tell explain
    explains say says talk talks discuss discussed speak know known happening happened going purpose
    deal deals work works made consist list show give name part parts whole world high level
    people speaker speakers question questions do does learn learned"""
    )
)
# What asks how things stand or what became of them.
_STATUS = frozenset(
    stems(
        """state status standing progress situation stand stands going current currently
    latest lately recent recently new news changed change changes update updates updated open
    decided decision decisions risk risks posture now today blocked outstanding contradiction
    contradictions contradict disagree disagreement disagreements disputed"""
    )
)
_OF_WORK = frozenset(stems("work works effort efforts project side"))
_STATUS_PHRASE = re.compile(
    r"\b(?:where (?:do|does|are|is) .{1,60}\bstand|how (?:is|are) .{1,60}\b(?:going|doing)"
    r"|what(?:'s| is| has)? (?:new|changed|happened|going on)|right now|at the moment|as of)\b",
    re.IGNORECASE,
)


class Breadth(NamedTuple):
    """`subject` are the stems that name what is asked about, none where it is everything;
    `asks_status` is true where the question is how it stands or what changed."""

    subject: tuple[str, ...]
    asks_status: bool

    @property
    def is_about_all(self) -> bool:
        """Whether no subject is named."""
        return not self.subject


def read_breadth(question: str) -> Breadth:
    """How broad `question` is; only its first 2,000 characters are looked at."""
    text = question[:2000]
    found = tuple(dict.fromkeys(stems(text)))
    asks_status = bool(_STATUS_PHRASE.search(text)) or any(s in _STATUS for s in found)
    named = {s for t in tokens(text)[1:] if text[t.start].isupper() for s in stems(t.word)}
    generic = _OVERVIEW | _OF_WORK | (_STATUS if asks_status else frozenset[str]())
    return Breadth(tuple(s for s in found if s in named or s not in generic), asks_status)
