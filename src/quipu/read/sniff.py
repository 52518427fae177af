"""Tells code from prose where no file name does: passages that come without a path."""

import re
from typing import Literal

__all__ = ["profile_of"]

_LOOKED_AT = 4000
_NEEDED = 0.34
_FENCED = re.compile(r"^\s*```", re.MULTILINE)
_DEFINITION = re.compile(
    r"^\s*(?:@[\w.]+\s*(?:\(.*)?$|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[(:{<]"
    r"|(?:export\s+|pub(?:\(\w+\))?\s+|static\s+|async\s+|default\s+)*"
    r"(?:function\*?|func|fn|fun|interface|struct|enum|impl|trait|namespace|module)\s+[\w$(*&]"
    r"[^.]*[({<:;]|#include\s*[<\"]|#!\s*/|package\s+[\w.]+;?$|import\s+[\w.{}*, ]+(?:;|from\b|$)"
    r"|from\s+[\w.]+\s+import\s|<\?php|(?:public|private|protected)\s+[\w<>\[\], ]+\("
    r"|(?i:create\s+(?:or\s+replace\s+)?(?:table|view|function|index)|insert\s+into)\s+[\w.\"`]+"
    r"|(?i:select\s.+\sfrom)\s+[\w.\"`]+)",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"[;{}]\s*(?://.*|#.*|/\*.*)?$|^\s*[\w.$\[\]'\"]+\s*(?:[-+*/|&%:]?=|:=)\s*\S|^\s*(?:#|//|/?\*)"
    r"|^\s*(?:return|if|elif|else|for|while|try|except|raise|with|yield|assert|case|switch|const"
    r"|let|var|del|pass|break|continue|finally|catch|throw|end)\b.*(?:[:;{}()]|==|$)"
    r"|\w\(.*\)\s*[:;,)\]}]?$|^\s*[)\]}]+[,;:]?$|^\s*[\"']{3}|->|=>|::",
)
_SENTENCE = re.compile(r"^\s*[A-Z\"'(]?[\w'’,-]+(?: [\w'’,;:()\"%-]+){5,}[.!?]?(?:\s|$)")


def profile_of(text: str) -> Literal["prose", "code"]:
    """Which ranking profile fits `text`: code has a definition near its top or mostly code lines.

    Markdown that holds fenced code is prose. Blank text is prose.
    """
    head = text[:_LOOKED_AT]
    lines = [line for line in head.splitlines() if line.strip()]
    if not lines:
        return "prose"
    code = sum(1 for line in lines if _CODE_LINE.search(line))
    share = code / len(lines)
    if len(lines) == 1:
        closed = head.rstrip().endswith((";", "{", "}", ":"))
        sure = _DEFINITION.match(head) and code and (closed or not _SENTENCE.match(head))
        return "code" if sure else "prose"
    if _DEFINITION.match(lines[0]) and share >= _NEEDED / 3:
        return "code"
    if _FENCED.search(head):
        return "prose"
    defined = any(_DEFINITION.match(line) for line in lines)
    sentences = sum(1 for line in lines if _SENTENCE.match(line))
    if defined and share >= _NEEDED and code > sentences:
        return "code"
    return "code" if len(lines) > 2 and share >= 2 * _NEEDED and sentences <= 1 else "prose"
