"""State what a manifest declares: its licence, what it requires, its version, who wrote it, where
its source is, its commands, scripts, features and extras, and what it depends on.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from quipu.answer.quote import code_span, holds_order
from quipu.kinds.files.asked import Aspect, aspects_of
from quipu.question import Question
from quipu.records.record import Value
from quipu.text import name_key, stem, stems

__all__ = [
    "MANIFESTS",
    "DeclaredQuestion",
    "ToldDeclaration",
    "own_name",
    "read_declared",
    "told_of",
]

MANIFESTS = (
    "pyproject.toml",
    "setup.cfg",
    "package.json",
    "cargo.toml",
    "go.mod",
    "pom.xml",
    "composer.json",
)
"""What a manifest is called, as names are compared; of two that say it, the first is told."""

_SHOWN = 30
_LONGEST = 80
_BRIEF = ("license", "requires", "version", "authors")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:[-+.]?[a-z]+[\w.]*)?)", re.IGNORECASE)
_LANGUAGE = re.compile(r"^(Python|Node\.js|Rust|Go|Java|PHP) ")
_LANGUAGES = {
    "Python": "python cpython",
    "Node.js": "node nodejs node.js",
    "Rust": "rust rustc msrv",
    "Go": "go golang",
    "Java": "java jdk",
    "PHP": "php",
}
_VERSIONED = frozenset(
    stem(word)
    for word in "version minimum min oldest lowest require support need run directive msrv".split()
)
_THINGS = frozenset(stem(word) for word in "package library crate gem module".split())
_WRITTEN = re.compile(r"[^\s,;<>=!~^(\[]+")
_GROUP_END = re.compile(r"[-_]?dependencies$", re.IGNORECASE)
_REVERSED = (
    r"\b(?:depends?|rel(?:y|ies)|needs?|requires?|pulls?)(?:\s+(?:on|in))?\s+"
    r"(?:it|this|that|the|our|your|{names})\b"
)
_FIELDS = {
    "license": "is licensed under",
    "requires": "requires",
    "authors": "is written by",
    "repository": "has its source at",
    "commands": "brings the command",
    "scripts": "has the scripts",
    "version": "is at version",
}
"""What is said of a field whose value is one text, or the names of a table."""
_ENTRIES = (
    ("runs", "scripts", "npm yarn pnpm composer run script", "{entry} runs {value}"),
    (
        "runs",
        "commands",
        "console script command entrypoint executable binary bin cli program",
        "{entry} runs {value}",
    ),
    ("brings", "features", "feature", "The feature {entry} enables {value}"),
    ("brings", "extras", "extra", "The extra {entry} brings {value}"),
)
"""(aspect, table, what stands beside an entry's name in a question, what is said of it)."""


class DeclaredQuestion(NamedTuple):
    """A question that a manifest may answer: what it asks for, in the order of the table, and the
    names of `manifests` and versions in it."""

    text: str
    aspects: tuple[Aspect, ...]
    manifests: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """The words of it that may name a project."""
        names = (name for aspect in self.aspects for name in aspect.names)
        return frozenset(word for name in names for word in stems(name.text))

    @property
    def asks_for_licence(self) -> bool:
        """Whether the licence is asked for."""
        return any(aspect.key == "license" for aspect in self.aspects)


class ToldDeclaration(NamedTuple):
    """A sentence, and the `words` that stand together where the manifest says it, for each place;
    the first of these must."""

    text: str
    places: tuple[tuple[str, ...], ...]


class _Declared(NamedTuple):
    """What a manifest declares, and the names in a question that are not the project's own."""

    fields: Mapping[str, Value]
    names: tuple[str, ...]
    text: str
    own: Sequence[str]

    def table(self, key: str) -> dict[str, Value]:
        entries = self.fields.get(key)
        return cast("dict[str, Value]", entries) if isinstance(entries, dict) else {}

    def groups(self) -> Iterator[tuple[str, list[str]]]:
        """What is needed besides: `dev` of `devDependencies`, `extra redis`."""
        for key, listed in self.table("groups").items():
            yield _GROUP_END.sub("", key) or key, _texts(listed)
        for key, listed in self.table("extras").items():
            yield f"extra {key}", _texts(listed)


def read_declared(question: Question) -> DeclaredQuestion | None:
    """Return a question that a manifest may answer; None for another."""
    aspects = tuple(aspects_of(question, "manifest"))
    names = {name_key(word) for a in aspects for name in a.names for word in name.text.split()}
    return (
        DeclaredQuestion(question.text, aspects, frozenset(names & {*MANIFESTS}))
        if aspects
        else None
    )


def told_of(
    asked: DeclaredQuestion,
    called: str,
    declared: Mapping[str, Value],
    *,
    names: Sequence[str],
    versions: frozenset[str],
) -> ToldDeclaration | None:
    """Return what a manifest, whose package is `called` so, says to the question; `names` and
    `versions` are those of the project."""
    if holds_order(called):
        return None
    tellable = {
        key: kept
        for key, value in declared.items()
        if _is_brief(key, value) and (kept := _without_orders(value)) is not None
    }
    for aspect in asked.aspects:
        others, at = _others(aspect, names)
        if at and versions and not any(f"{v}.".startswith(f"{at}.") for v in versions):
            continue
        told = _TELLS[aspect.key](aspect, _Declared(tellable, others, asked.text, names))
        if told:
            subject = "" if aspect.key in ("runs", "brings") else f"`{called}` "
            unsure = "; its manifest names no version of its own" if at and not versions else ""
            return told._replace(text=f"{subject}{told.text}{unsure}")
    return None


def own_name(name: str) -> str:
    """Return what people call a package: the last part of its path or coordinates, without a
    version (`github.com/spf13/cobra/v2`: cobra)."""
    parts = [part for part in re.split(r"[/:]", name) if not re.fullmatch(r"v\d+", part)]
    return parts[-1] if parts else name


def _others(aspect: Aspect, own: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The names but the project's own and those of manifests; the version that is named."""
    left: list[str] = []
    version = ""
    ours = {word for name in own for word in stems(name)}
    for name in aspect.names:
        for word in name.text.split():
            if found := _VERSION.fullmatch(word):
                version = found[1]
            elif name_key(word) not in MANIFESTS and not _is_ours(word, ours):
                left.append(word)
    return tuple(dict.fromkeys(left)), version


def _is_ours(word: str, ours: set[str]) -> bool:
    parts = set(stems(word))
    return bool(parts) and parts <= ours


def _is_brief(key: str, value: Value) -> bool:
    if key not in _BRIEF or not isinstance(value, str):
        return True
    values = value.split(", ") if key == "authors" else [value]
    return all(len(one) <= _LONGEST for one in values)


def _without_orders(value: Value) -> Value:
    """A value without the entries that are orders, after a name too; None where none is left."""
    if isinstance(value, str):
        parts = (value, value.partition(" ")[2], *value.split(", "))
        return None if any(map(holds_order, parts)) else value
    if isinstance(value, list):
        kept = [_without_orders(one) for one in cast("list[Value]", value)]
        return [one for one in kept if one is not None] or (None if value else value)
    if isinstance(value, dict):
        entries = cast("dict[str, Value]", value).items()
        left = {k: _without_orders(v) for k, v in entries if not holds_order(k)}
        return {k: v for k, v in left.items() if v is not None}
    return value


def _field(aspect: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """What a field says that is one value, or the names of a table."""
    value = declared.fields.get(aspect.key)
    shown = ", ".join(cast("dict[str, Value]", value)) if isinstance(value, dict) else value
    if declared.names or not isinstance(shown, str) or not shown:
        return None
    if aspect.key == "requires":
        language = _LANGUAGE.match(shown)
        asked = {stem(word) for word in _LANGUAGES[language[1]].split()} if language else set[str]()
        if not (asked & aspect.words and _VERSIONED & aspect.words):
            return None
    return ToldDeclaration(f"{_FIELDS[aspect.key]} {shown}", ((_as_written(shown),),))


def _entry(aspect: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """What one entry of a table stands for: what a command runs, what a feature enables."""
    behaves = aspect.words >= {"what", "do"} and not aspect.words & {"run", "script"}
    for key, table, beside, says in _ENTRIES:
        name = next((n for n in aspect.names if n.text in declared.table(table)), None)
        if key != aspect.key or name is None or (behaves and table != "scripts"):
            continue
        if set(declared.names) - {name.text}:
            continue
        if {name.before, name.after} & {stem(word) for word in beside.split()}:
            value = declared.table(table)[name.text]
            shown = value if isinstance(value, str) else _shown(_texts(value))
            told = code_span(value) if isinstance(value, str) else shown
            sentence = says.format(entry=code_span(name.text), value=told)
            return ToldDeclaration(sentence, ((name.text, _as_written(shown)),)) if shown else None
    return None


def _features(aspect: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """The features that are on by default, all features, or all extras."""
    entries = declared.table(aspect.key)
    listed = [name for name in entries if name != "default"]
    called = aspect.key
    if "default" in aspect.words:
        called, listed = "default features", _texts(entries.get("default"))
    if declared.names or not listed:
        return None
    place = ("default", listed[0]) if called != aspect.key else (listed[0],)
    return ToldDeclaration(f"has the {called} {_shown(listed)}", (place,))


def _dependencies(aspect: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """What the package depends on, to run or for one of its groups. What it depends on in any way
    is asked of its relations."""
    if not (aspect.words & _THINGS or "dependenc" in declared.text.lower()):
        return None
    own = "|".join(map(re.escape, declared.own)) or "it"
    if re.search(_REVERSED.format(names=own), declared.text, re.IGNORECASE):
        return None
    if not declared.names and "dependencies" in declared.fields:
        listed = _texts(declared.fields["dependencies"])
        told = f"depends on {_shown(listed)}" if listed else "declares no dependencies"
        return ToldDeclaration(told, _places(listed or declared.own))
    for label, group in declared.groups() if len(declared.names) == 1 else ():
        if _is_group(label, stem(name_key(declared.names[0]))):
            told = f"has the dependencies {_shown(group)} ({label})"
            return ToldDeclaration(told, _places(group))
    return None


def _dependency(_: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """In which version the package needs another, where the manifest names one."""
    needed = [("", one) for one in _texts(declared.fields.get("dependencies"))]
    needed += [(label, one) for label, listed in declared.groups() for one in listed]
    for name in declared.names:
        found = [
            (label, one)
            for label, one in needed
            if own_name(_name_of(one)) == name and _name_of(one) != one
        ]
        groups = {stem(word) for label, _ in found for word in label.split()}
        if not found or not {stem(name_key(n)) for n in declared.names if n != name} <= groups:
            continue
        shown = dict.fromkeys(f"{one} ({label})" if label else one for label, one in found)
        package = _name_of(found[0][1])
        written = found[0][1].removeprefix(package).strip(" ()").partition(" ")[0]
        return ToldDeclaration(f"depends on {'; '.join(shown)}", ((package, written),))
    return None


_TELLS: dict[str, Callable[[Aspect, _Declared], ToldDeclaration | None]] = {
    **dict.fromkeys(_FIELDS, _field),
    "features": _features,
    "extras": _features,
    "runs": _entry,
    "brings": _entry,
    "dependencies": _dependencies,
    "dependency": _dependency,
}


def _as_written(value: str) -> str:
    """The first word of a value as the manifest writes it: `>=3.10` of `Python >=3.10`."""
    return _LANGUAGE.sub("", value).strip().split(", ")[0].partition(" ")[0]


def _texts(value: Value) -> list[str]:
    listed = cast("list[Value]", value) if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, str)]


def _shown(listed: Sequence[str]) -> str:
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def _name_of(requirement: str) -> str:
    """The name that a requirement begins with."""
    written = _WRITTEN.match(requirement)
    return written[0] if written else requirement


def _places(listed: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((_name_of(one),) for one in listed[:_SHOWN])


def _is_group(label: str, word: str) -> bool:
    """Whether a group is called so: `dev` by "development", `testing` by "test"."""
    name = (stems(label.removeprefix("extra ")) or [label])[0]
    return word.isalpha() and len(name) > 2 and (word.startswith(name) or name.startswith(word))
