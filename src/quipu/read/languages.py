"""What the code reader needs to know of each language: one tree-sitter query and a few words.

Languages are data (`rules/formats.toml`), and so are queries: `queries/LANGUAGE.scm`, which may
begin with `; inherits: OTHER`. They share one vocabulary of captures; a name that begins with `_`
is only for the query's own conditions.

- `function`, `class`, `module` and `variable` are definitions (a `module` only gives its name to
  what is inside), with `name`, `parameters`, `returns`, `value` and `owner` (the type or object
  that a method belongs to when it is written outside of it). A `parameter` or `returns` by itself
  is of the function around it, a `field` of the type; `doc` is a docstring.
- `call` is a called name, `own` one that is called of the thing itself, `member` one of another
  thing, where grammars do not hold both in one node; `delegate` one whose result is given back or
  that ends a function, `base` a type that the class around it extends or implements (or the type
  `of`, where that is written outside of it), `raise` an exception that is raised, `set` what is
  assigned to and may be seen outside.
- `exported` is a name that the file gives away, `public` and `private` a definition that it does
  or does not; with `public` only what is marked so is exported, without it all that is not
  `private`.
- `environment` names an environment variable, `setting` a key of a configuration that is read
  (`options`, `flags` and `named`, of a command's options, count for nothing).
- `import` is a statement that `imports.py` reads, `package` what the file declares to be part of.

Grammars are one wheel a language and are loaded on first use.
"""

import importlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec
from tree_sitter import Language, Parser, Query, QueryError

from quipu.errors import BrokenKind
from quipu.read.kinds import Format, code_languages, formats

__all__ = ["CAPTURES", "LANGUAGES", "CodeLanguage", "Grammar", "LanguageSpec", "grammar"]

CAPTURES = frozenset(
    """function class module variable name parameters returns value owner parameter field doc call
    own member delegate base of raise set exported public private environment setting options flags
    named import package""".split()
)
"""What a query may call what it finds."""
_INHERITS = re.compile(r"; inherits: (\w+)\n")


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """How one language is read. `comments` begin a comment line above a definition; `wrappers`
    are nodes that hold a definition and its decorations; without a `query` it is that of
    `queries/`. The parser of a language that is `ascii`
    is shown no other characters: it looks them up beyond the end of a table."""

    module: str
    query: str = ""
    function: str = "language"
    comments: tuple[str, ...] = ("//", "/*", "*", "*/")
    decorations: tuple[str, ...] = ("@",)
    docstrings: bool = False
    kinds: tuple[str, str] = ("function", "class")
    ascii: bool = False


_SPECS = msgspec.convert(code_languages(), dict[str, LanguageSpec])
LANGUAGES = frozenset(_SPECS)


@dataclass(frozen=True)
class CodeLanguage(Format):
    """A language of code that a kind of source brings, and how the names of its files end."""

    name: str
    endings: tuple[str, ...]
    spec: LanguageSpec

    def claims(self, path: str, data: bytes) -> bool:  # noqa: ARG002
        """Whether the name ends as those of this language do."""
        return path.lower().endswith(self.endings)


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language's parser, its compiled query and what that captures."""

    spec: LanguageSpec
    parser: Parser
    query: Query
    captures: frozenset[str]


@cache
def grammar(language: str) -> Grammar:
    """The grammar of one of `LANGUAGES`, or of a language that a kind of source brings."""
    brought = {each.name: each.spec for each in formats() if isinstance(each, CodeLanguage)}
    spec = {**brought, **_SPECS}[language]
    pointer = getattr(importlib.import_module(spec.module), spec.function)()
    loaded = Language(pointer)  # pyright: ignore[reportDeprecated]  # older wheels give an int
    try:
        query = Query(loaded, spec.query or _query(language))
    except QueryError as error:
        raise BrokenKind(f"the query of the language {language!r} is none: {error}") from error
    named = frozenset(query.capture_name(at) for at in range(query.capture_count))
    if unknown := sorted(n for n in named - CAPTURES if not n.startswith("_")):
        raise BrokenKind(
            f"the query of the language {language!r} captures {unknown[0]!r}: use one of "
            f"{', '.join(sorted(CAPTURES))}"
        )
    return Grammar(spec, Parser(loaded), query, named)


def _query(name: str) -> str:
    """The query of that name, after the one that it inherits."""
    text = files("quipu.read").joinpath("queries", f"{name}.scm").read_text("utf-8")
    inherited = _INHERITS.match(text)
    return f"{_query(inherited[1])}\n{text}" if inherited else text
