"""Bounds that many modules share: how much is read, kept, fetched at once and shown.

None was fitted, and no answer depends on one: each keeps memory, time or a message within reason,
for any input. A bound that one module alone knows stands in that module.
"""

from __future__ import annotations

__all__ = [
    "AROUND",
    "ERRORS_LISTED",
    "HEAD",
    "IDS_AT_ONCE",
    "LARGEST_EXPORT",
    "LARGEST_FILE",
    "LARGEST_REPLY",
    "LARGEST_TEXT_FILE",
    "LISTED",
    "LONGEST_ENTRY",
    "LONGEST_KEY",
    "LONGEST_LINE",
    "LONGEST_NAME",
    "LONGEST_PASSAGE",
    "LONGEST_TEXT",
    "LONGEST_TITLE",
    "LONGEST_VALUE",
    "NAMED",
    "PREVIEW",
    "ROWS_AT_ONCE",
    "SCANNED",
    "SHOWN_LINE",
    "SHOWN_VALUE",
    "TEXTS_AT_ONCE",
]

ROWS_AT_ONCE = 1_000
"""Records fetched, compared or listed at once: a page of them takes about a megabyte."""
TEXTS_AT_ONCE = 250
"""Records with their text or vectors that are read or written at once, in one transaction."""
IDS_AT_ONCE = 500
"""Parameters of one query: SQLite takes 999 in its oldest builds."""
SCANNED = 5_000
"""Records looked through for what nobody waits long for, such as a name spelled alike."""

LARGEST_TEXT_FILE = 1_000_000
"""Bytes of a file of settings, rules or declarations; what is larger was not written by hand."""
LARGEST_FILE = 50_000_000
"""Bytes of a file that is read whole because somebody named it."""
LARGEST_EXPORT = 500_000_000
"""Bytes of another system's export, which may hold all that it knew."""
LARGEST_REPLY = 64_000_000
"""Bytes that a server may answer with."""
HEAD = 4_000
"""Characters at the beginning of a text that tell what it is."""

LONGEST_LINE = 2_000
"""Characters of a line that is searched for something; longer ones are data."""
LONGEST_NAME = 1_000
"""Characters of the name of a thing: a qualified name, a heading, a path."""
LONGEST_TITLE = 200
"""Characters of a title, a tag or a note of one line."""
LONGEST_KEY = 300
"""Characters of a subject, a predicate or a key of settings."""
LONGEST_VALUE = 4_000
"""Characters of a stated value, or of a field of somebody's record."""
LONGEST_ENTRY = 8_000
"""Characters of a question, or of an entry that an agent keeps: some 2,000 tokens."""
LONGEST_PASSAGE = 20_000
"""Characters of one passage or block; a longer one is cut into several."""
LONGEST_TEXT = 100_000
"""Characters of a text that is kept as one, such as a commit's message or an observation."""

NAMED = 5
"""Things named in one line, before "and 3 more"."""
LISTED = 20
"""Things listed in a message, before "and 3 more"."""
ERRORS_LISTED = 100
"""Errors or warnings that a report of a run lists."""
AROUND = 200
"""Relations or records shown around one thing, or files looked at for one change."""

SHOWN_VALUE = 80
"""Characters of a value that a message quotes."""
SHOWN_LINE = 200
"""Characters of a line of a list, or of another program's message."""
PREVIEW = 500
"""Characters of a document that stand with it where it is listed."""
