"""What a statement of code stands in: its lines, what it is set in below, the comments beside.

All languages that are laid out by a formatter are read alike: what decides whether a line is come
to is set in less than it, and stands above.
"""

import re
from collections.abc import Sequence

from quipu.kinds.files.code_text import (
    CodeLines,
    CodeToken,
    closings,
    indent_of,
    is_comment,
    tokens_of,
)

__all__ = [
    "CLOSES",
    "GIVES",
    "comments_above",
    "headers_of",
    "lines_before",
    "statement_lines",
    "used_until",
]

_LONGEST = 16
_LONGEST_STATEMENT = 12
_COMMENTED = 6
_LONGEST_LINE = 400
_BEFORE = 2
_DEFINING = frozenset({"const", "var", "type", "import"})
_SHORT = 12
# A header that goes on with what another began: what that one asked is a condition of it, too.
_GOES_ON = re.compile(
    r"\s*[})]?\s*(?:else|elif|elsif|elseif|except|rescue|catch|finally|ensure|case|when|default|_\s*=>"
    r"|\)|\])"
)
CLOSES = re.compile(r"\s*[)\]}]+[;,]?\s*$")
GIVES = re.compile(r"\s*(?:[\w.\[\]\"'$:]+\s+)*?([A-Za-z_$][\w$.]*)\s*(?::[^=]+)?:?=(?![=>])")


def statement_lines(tokens: Sequence[CodeToken], first: int, last: int) -> tuple[int, int]:
    """The lines, counted from 0, of the statement around some tokens: as far as the brackets go
    that it stands in, blocks left out."""
    begin, end, depth = tokens[first].line, tokens[last].last, 0
    ends = closings(tokens)
    for at in range(first - 1, -1, -1):
        token = tokens[at]
        if token.kind == "close":
            depth += 1
        elif token.kind == "open" and depth:
            depth -= 1
        elif token.kind == "open":
            close = ends.get(at)
            if token.text == "{" or close is None or _is_block(tokens, at):
                break
            begin, end = token.line, max(end, tokens[close].last)
        if token.line < begin - _LONGEST_STATEMENT:
            break
    return begin, end


def _is_block(tokens: Sequence[CodeToken], at: int) -> bool:
    """Whether a bracket holds definitions, as `const (` and `var (` do."""
    return at > 0 and tokens[at - 1].text in _DEFINING


def headers_of(code: CodeLines, first: int, begin: int) -> list[tuple[int, int]]:
    """What a line is set in below, the innermost first, as lines from and to: each line that is
    set in less, with those that began what it goes on with; not the function's own first lines."""
    found: list[tuple[int, int]] = []
    margin = indent_of(code.line(first))
    least = indent_of(code.line(begin))
    at = first - 1
    while at > begin and margin > least:
        line = code.line(at)
        wide = indent_of(line)
        if not line.strip() or is_comment(line) or wide >= margin:
            at -= 1
            continue
        above = _begun(code, at, begin)
        if wide <= least or above <= begin:
            break
        if not CLOSES.fullmatch(line):
            found.append((above, at))
        margin, at = wide, above - 1
    return found


def _begun(code: CodeLines, at: int, begin: int) -> int:
    """The line that begins what line `at` goes on with: the `if` of an `else`, the first line of a
    condition over several."""
    if not _GOES_ON.match(code.line(at)):
        return at
    wide = indent_of(code.line(at))
    for above in range(at - 1, max(begin, at - 4 * _LONGEST), -1):
        line = code.line(above)
        if not line.strip() or is_comment(line):
            continue
        if indent_of(line) < wide:
            return at
        if indent_of(line) == wide and not _GOES_ON.match(line) and not CLOSES.fullmatch(line):
            return above if at - above < _LONGEST else at
    return at


def comments_above(code: CodeLines, first: int, begin: int) -> range:
    """The lines of comment above a line, and what stands between in the same paragraph."""
    at = top = first
    wide = indent_of(code.line(first))
    while at - 1 > begin and first - at < _COMMENTED:
        line = code.line(at - 1)
        if not line.strip() or indent_of(line) != wide or (top < at and not is_comment(line)):
            break
        at -= 1
        top = at if is_comment(line) else top
        if top == first and first - at >= _BEFORE:
            break
    return range(top, first)


def lines_before(code: CodeLines, first: int) -> range:
    """The lines before a statement that may go elsewhere first: whole statements of its block."""
    wide, begin = indent_of(code.line(first)), first
    for at in range(first - 1, max(first - _SHORT, code.first), -1):
        line = code.line(at)
        if line.strip() and indent_of(line) < wide:
            break
        if line.strip() and indent_of(line) == wide and not _GOES_ON.match(line):
            begin = at
    return range(begin, first)


def used_until(code: CodeLines, first: int, last: int) -> int:
    """Where the variable that a text is put into is used: a few lines on, in the same block."""
    given = GIVES.match(code.line(first)[:_LONGEST_LINE])
    if given is None:
        return last
    used = re.compile(rf"(?<![\w$]){re.escape(given[1])}(?![\w$])")
    wide = indent_of(code.line(first))
    until = last
    for at in range(last + 1, min(last + _COMMENTED, code.last) + 1):
        line = code.line(at)
        if line.strip() and indent_of(line) < wide:
            break
        if used.search(line):
            until = _closed(code, first, at)
            if indent_of(line) == wide and not GIVES.match(line[:_LONGEST_LINE]):
                break
    return until


def _closed(code: CodeLines, first: int, last: int) -> int:
    """Where the brackets close that are open behind line `last`."""
    part = code.part(first, last + _LONGEST_STATEMENT)
    depth = 0
    for token in tokens_of(code.path, part.text):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth <= 0 and first + token.last >= last and token.kind == "newline":
            return max(first + token.line, last)
    return last
