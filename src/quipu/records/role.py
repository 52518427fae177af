"""What a file is for, told by its path: what it says is weighed by that.

A question about how something behaves is answered by source and documentation; a test, an example
or a file that a program wrote says the same words for another reason.
"""

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from quipu.patterns import late

__all__ = ["Role", "role_of"]

Role: TypeAlias = Literal[
    "source",
    "documentation",
    "changelog",
    "manifest",
    "licence",
    "test",
    "example",
    "fixture",
    "generated",
    "vendored",
    "other",
]

# A folder of that name gives its role to all that is in it; the first that fits does.
_FOLDERS: dict[Role, str] = {
    "vendored": r"vendor|vendored|_vendor|third[_-]?party|node_modules|bower_components",
    "generated": r"generated|_generated|__generated__|_static|dist|build",
    "fixture": r"fixtures?|testdata|test[_-]data|__snapshots__|snapshots|goldens?|cassettes",
    "test": r"tests?|specs?|__tests__|testing|e2e",
    "example": r"examples?|samples?|demos?",
    "changelog": r"changelogs?|changes|release[_-]?notes|whats[_-]?new|newsfragments",
}
_FILES: dict[Role, str] = {
    "generated": r".*\.min\.\w+|.*_pb2(_grpc)?\.py|.*\.pb\.\w+|.*\.g\.dart|.*\.lock|searchindex\.js"
    r"|package-lock\.json|pnpm-lock\.yaml|npm-shrinkwrap\.json|go\.sum|.*\.map",
    "licence": r"(un)?licen[cs]es?([.-].*)?|copying([.-].*)?|notice(\..*)?|.*-licen[cs]e(\..*)?",
    "test": r"tests?_.*|.*_tests?\.\w+|.*[.-](test|spec)s?\.\w+|.*(Test|Tests|Spec)\.\w+"
    r"|conftest\.py|tests?\.\w+",
    "changelog": r"change(s|log)?([._-].*)?|history(\..*)?|news(\..*)?|release[_-]?notes?(\..*)?"
    r"|releases(\..*)?",
    "manifest": r"pyproject\.toml|setup\.(py|cfg)|package\.json|cargo\.toml|go\.mod|pom\.xml"
    r"|build\.gradle(\.kts)?|gemfile|.*\.gemspec|composer\.json|.*\.(cs|fs|vb)proj|mix\.exs"
    r"|package\.swift|cmakelists\.txt|requirements.*\.txt|environment\.ya?ml|deno\.json|jsr\.json",
    "documentation": r".*\.(md|mdx|markdown|rst|txt|adoc|org|html?|pdf|docx|ipynb|1)"
    r"|readme|authors|contributing|maintainers|contributors|todo|install",
}
_PROSE: frozenset[Role] = frozenset({"changelog", "documentation", "licence"})
_PATTERNS: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (role, late(rf"(?:^|/)(?:{names})/", re.IGNORECASE)) for role, names in _FOLDERS.items()
)
_NAMES: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (role, late(rf"(?:^|/)(?:{names})$", 0 if role == "test" else re.IGNORECASE))
    for role, names in _FILES.items()
)


@lru_cache(maxsize=4096)
def role_of(path: str, *, code: bool) -> Role:
    """The role of a file; `code` says that it was read as code, which is no prose whatever it is
    called. What is neither code nor any of the others, a note or a turn, is "other"."""
    for role, pattern in (*_PATTERNS, *_NAMES):
        if not (code and role in _PROSE) and pattern.search(path):
            return role
    return "source" if code else "other"
