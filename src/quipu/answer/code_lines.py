"""Lines of code that say something by themselves: settings, defaults, what documentation says."""

import re
from collections.abc import Iterator

from quipu.answer.quote import plain
from quipu.text import sentences

__all__ = ["documented", "settings"]

_LOOKED_AT = 20_000
_WORDS = frozenset({"assert", "elif", "if", "return", "while"})
_LONGEST = 200
_MOST = 60
_SETTING = re.compile(
    r"^[ \t]*(?:(?:export|public|private|protected|static|final|const|let|var|val|pub|self\.)\s*)*"
    r"(?P<name>[A-Za-z_][\w.-]{0,60})\s{0,4}(?::[^=\n]{1,80})?(?<![=!<>+*/|&^%-])=(?!=)\s{0,4}"
    r"(?P<value>[^\s=][^\n]{0,120}?),?;?[ \t]*$",
    re.MULTILINE,
)
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_]\w{0,60})\s{0,2}(?::\s{0,2}[^=,()\n]{1,80}(?:\[[^\]\n]{0,80}\])?)?"
    r"\s{0,2}=(?!=)\s{0,2}(?P<value>\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'|[\w.+-]{1,60})(?=\s{0,2}[,)])"
)
_DOCSTRING = re.compile(r"(?:\"\"\"|''')(.+?)(?:\"\"\"|'''|\Z)", re.DOTALL)
_FIELD = re.compile(r"^\s*(?::param[^:\n]{0,60}:|[\w*]{1,40}(?: \([^)\n]{1,80}\))?:)\s")


def settings(text: str) -> Iterator[tuple[int, str, str]]:
    """(offset, name, the words as they stand) of what is assigned or has a default value."""
    found: dict[str, tuple[int, str, str]] = {}
    head = text[:_LOOKED_AT]
    for pattern in (_SETTING, _PARAMETER):
        for match in pattern.finditer(head):
            said = " ".join(match.group().split()).rstrip(",;")
            name, value = match["name"], match["value"].strip()
            if len(said) <= _LONGEST and value != name and name not in _WORDS:
                found.setdefault(said, (match.start("name"), name, said))
            if len(found) >= _MOST:
                break
    yield from sorted(found.values())


def documented(text: str) -> Iterator[tuple[int, str]]:
    """(offset, sentence) of a passage's doc strings, from the second sentence on; an argument's
    entry is one sentence."""
    for doc in _DOCSTRING.finditer(text[:_LOOKED_AT]):
        first = True
        for paragraph in re.finditer(r"[^\n]+(?:\n(?![ \t]*\n)[^\n]+)*", doc[1]):
            for start, sentence in _parts(paragraph.group()):
                if not first:
                    yield doc.start(1) + paragraph.start() + start, sentence
                first = False


def _parts(paragraph: str) -> Iterator[tuple[int, str]]:
    """Its sentences, or its lines where they are a list of arguments."""
    lines = paragraph.split("\n")
    if any(_FIELD.match(line) for line in lines):
        offset = 0
        for line in lines:
            if line.strip():
                yield offset, plain(line.strip())
            offset += len(line) + 1
        return
    for start, end in sentences(paragraph):
        yield start, plain(paragraph[start:end])
