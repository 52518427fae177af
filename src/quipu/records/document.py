"""What a reader makes of one file: plain data that chunking and extraction work from.

Everything here is found in the file alone; nothing is resolved against other files. Lines are
1-based and inclusive and count the lines of `Document.text`, which for a text file are the
lines of the file itself and for PDF, Word, HTML and notebooks those of the extracted text.
"""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from quipu.limits import HEAD
from quipu.patterns import late
from quipu.records.record import Properties

Family: TypeAlias = Literal["prose", "code", "data"]


class Problem(NamedTuple):
    """A row of the error report. An `error` means the file was left out, a `warning` not."""

    path: str
    error: str
    severity: Literal["error", "warning"] = "error"
    line: int = 0

    def at_line(self) -> "Problem":
        """With the line in the path, as rows name it: `log.jsonl:3`."""
        return self._replace(path=f"{self.path}:{self.line}", line=0) if self.line else self


class Section(NamedTuple):
    """Lines under a heading up to the next one; `path` holds the headings from the top down."""

    path: tuple[str, ...]
    start_line: int
    end_line: int


class Span(NamedTuple):
    """Lines that belong together: a code fence, a table, a list of front matter."""

    start_line: int
    end_line: int


class Definition(NamedTuple):
    """A symbol defined in the file. `qualified` is its dotted name within the file.

    `start_line` includes decorators and the comment above; `line` is where its name stands. `value`
    is what a variable is set to where it is defined, if that is short; `takes` are the parameters
    of a function and `fields` what a type holds, each as it is written, `returns` the type that is
    given back.
    """

    kind: str
    name: str
    qualified: str
    start_line: int
    end_line: int
    line: int
    parameters: str = ""
    doc: str = ""
    value: str = ""
    takes: tuple[str, ...] = ()
    returns: str = ""
    fields: tuple[str, ...] = ()


class Use(NamedTuple):
    """A name used at a line, inside the definition `within` ("" outside of any).

    A `base` is what the class `within` extends or implements, a `raise` an exception raised there,
    a `set` what is assigned to, a `delegate` what is called to give the result.
    """

    name: str
    line: int
    within: str = ""
    kind: Literal["call", "name", "path", "base", "raise", "set", "delegate"] = "call"


class Import(NamedTuple):
    """A module brought in. `names` pairs each imported name with what it is called here; `level`
    counts leading dots (Python) and is -1 for a path relative to the file (C, Ruby, JavaScript).
    """

    module: str
    line: int
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    level: int = 0


class Link(NamedTuple):
    """A hyperlink as written; `relation` is what its sentence says of it, mostly LINKS_TO.

    A `wiki` link names a note, or a block as `((id))`; `as_written` are the words before it that
    say how the two are related, "" where none do.
    """

    target: str
    line: int
    relation: str = "LINKS_TO"
    wiki: bool = False
    as_written: str = ""


class Observation(NamedTuple):
    """What a note states of its subject, and in which respect; `tags` and `context` go with it."""

    category: str
    content: str
    line: int
    tags: tuple[str, ...] = ()
    context: str = ""


class DatedFact(NamedTuple):
    """A statement of one line, with the ISO dates from and until which it holds, if it says them.
    The same of other dates is another fact."""

    subject: str
    predicate: str
    object: str
    line: int
    valid_from: str = ""
    valid_to: str = ""


class Thing(NamedTuple):
    """An entity other than a symbol that the file defines (a package, a service, a tool). `own`
    says that the file is it: a page that describes one service, a pipeline."""

    type: str
    name: str
    line: int
    description: str = ""
    properties: Properties = {}
    own: bool = False


class StatedRelation(NamedTuple):
    """A relation the file states by name. No `source` means the document itself, a Symbol is one
    of its own, by its qualified name.

    `target_type` is "" when the name may be a path, an id, a title or the name of anything.
    With `create`, naming the target is reason enough for it to exist. With `note`, the target was
    written `[[X]]`: it is a note, found as its wiki links find it.
    """

    type: str
    target_type: str
    target: str
    line: int
    source: tuple[str, str] | None = None
    as_written: str = ""
    confidence: float = 1.0
    create: bool = False
    properties: Properties = {}
    note: bool = False


class OwnerRule(NamedTuple):
    """A CODEOWNERS line: the last rule whose pattern matches a path owns it."""

    pattern: str
    owners: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file, read. `redactions` counts the secrets taken out, by kind.

    `content_hash` is the SHA-256 of the bytes, `source_sha` the git blob id where there is one,
    `updated_at` the day that it says itself to be of, else the time of the last commit or the file.
    """

    path: str
    title: str
    type: str
    family: Family
    language: str
    text: str
    content_hash: str
    source_sha: str
    updated_at: str
    description: str = ""
    properties: Properties
    sections: tuple[Section, ...] = ()
    spans: tuple[Span, ...] = ()
    definitions: tuple[Definition, ...] = ()
    uses: tuple[Use, ...] = ()
    imports: tuple[Import, ...] = ()
    links: tuple[Link, ...] = ()
    things: tuple[Thing, ...] = ()
    relations: tuple[StatedRelation, ...] = ()
    owner_rules: tuple[OwnerRule, ...] = ()
    observations: tuple[Observation, ...] = ()
    facts: tuple[DatedFact, ...] = ()
    redactions: dict[str, int]
    problems: tuple[Problem, ...] = ()


# A line that tells a preprocessor, a linter or an editor something.
_DIRECTIVE = late(
    r"^[ \t]*(?:#(?:!|[ \t]*(?:include(?:_next)?|import)[ \t]*[<\"]"
    r"|(?:define|undef|if|ifdef|ifndef|elif|else|endif|pragma|error|warning|line|region|endregion"
    r"|nullable|require)\b)"
    r"|(?://|#|/\*)[ \t]*(?:-\*-|vim?:|type:|noqa|pylint:|pyright:|mypy:|ruff:|fmt:|isort:|flake8"
    r"|eslint|prettier-|tslint|@ts-|go:|[+]build|nolint|clang-format|coding[:=]|rubocop:"
    r"|shellcheck |frozen_string_literal))",
    re.IGNORECASE,
)
_NOTICE = late(
    r"\bcopyright\b|\bspdx-license|\ball rights reserved\b|\(c\) ?(?:19|20)\d\d"
    r"|\blicensed (?:under|to)\b|\bpermission is hereby granted\b|\bredistribution and use\b"
    r"|\bunder the terms of\b|\bcode is governed by\b|\bdistributed under the\b",
    re.IGNORECASE,
)


def documents(comment: str) -> bool:
    """Whether a comment says something of the code: not blank, no notice of a licence, and not
    directives alone."""
    head = comment[:HEAD]
    if _NOTICE.search(head):
        return False
    return any(
        any(c.isalnum() for c in line) and not is_directive(line) for line in head.split("\n")
    )


def is_directive(line: str) -> bool:
    """Whether a line that begins like a comment is none: `#include <x>`, `#!/bin/sh`, `# noqa`."""
    return _DIRECTIVE.match(line) is not None
