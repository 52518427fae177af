"""Which comments of code document it: instructions to a compiler or a tool and notices of a
licence do not."""

import re

from quipu.limits import HEAD
from quipu.patterns import late

__all__ = ["documents", "is_directive"]

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
