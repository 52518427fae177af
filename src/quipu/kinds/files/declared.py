"""State what a manifest declares: its licence, what it requires, its version, who wrote it, where
its source is, its commands, scripts, features and extras, and what it depends on.

What is said of a field stands in `asked.toml`, beside the words that ask for it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, cast

from quipu.answer.quote import code_span, holds_order
from quipu.kinds.files.asked import Aspect, table
from quipu.limits import SHOWN_VALUE
from quipu.records.record import Value
from quipu.text import name_key, stem, stems

__all__ = ["MANIFESTS", "ToldDeclaration", "own_name", "told_of"]

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
_BRIEF = ("license", "requires", "version", "authors")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:[-+.]?[a-z]+[\w.]*)?)", re.IGNORECASE)
_LANGUAGE = re.compile(r"^(Python|Node\.js|Rust|Go|Java|PHP) ")
_WRITTEN = re.compile(r"[^\s,;<>=!~^(\[]+")
_GROUP_END = re.compile(r"[-_]?dependencies$", re.IGNORECASE)
_REVERSED = (
    r"\b(?:depends?|rel(?:y|ies)|needs?|requires?|pulls?)(?:\s+(?:on|in))?\s+"
    r"(?:it|this|that|the|our|your|{names})\b"
)


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
        for key, group in self.table("groups").items():
            yield _GROUP_END.sub("", key) or key, _texts(group)
        for key, group in self.table("extras").items():
            yield f"extra {key}", _texts(group)


def told_of(
    text: str,
    aspects: Sequence[Aspect],
    called: str,
    declared: Mapping[str, Value],
    *,
    names: Sequence[str],
    versions: frozenset[str],
) -> ToldDeclaration | None:
    """Return what a manifest, whose package is `called` so, says to a question with that text and
    those aspects; `names` and `versions` are those of the project."""
    if holds_order(called):
        return None
    tellable = {key: value for key, value in declared.items() if _is_tellable(key, value)}
    for aspect in aspects:
        others, at = _others(aspect, names)
        if at and versions and not any(f"{v}.".startswith(f"{at}.") for v in versions):
            continue
        told = _TELLS.get(aspect.key, _field)(aspect, _Declared(tellable, others, text, names))
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
    left: dict[str, None] = {}
    version = ""
    ours = {word for name in own for word in stems(name)}
    for word in (word for name in aspect.names for word in name.text.split()):
        parts = set(stems(word))
        if found := _VERSION.fullmatch(word):
            version = found[1]
        elif name_key(word) not in MANIFESTS and not (parts and parts <= ours):
            left[word] = None
    return tuple(left), version


def _is_tellable(key: str, value: Value) -> bool:
    """Whether nothing in a value is an order to its reader, and a field of one line is short."""
    if isinstance(value, dict):
        entries = cast("dict[str, Value]", value).items()
        return all(_is_tellable("", each) and not holds_order(name) for name, each in entries)
    if isinstance(value, list):
        return all(_is_tellable("", each) for each in cast("list[Value]", value))
    if not isinstance(value, str):
        return True
    parts = value.split(", ")
    if key in _BRIEF and any(len(part) > SHOWN_VALUE for part in parts):
        return False
    read = (value, *parts)
    return not any(holds_order(each) or holds_order(each.partition(" ")[2]) for each in read)


@cache
def _words(key: str) -> frozenset[str]:
    """The stems of words that the table lists."""
    return frozenset(map(stem, table()["declared"][key].split()))


def _field(aspect: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """What a field says that is one value, or the names of a table."""
    value = declared.fields.get(aspect.key)
    shown = ", ".join(cast("dict[str, Value]", value)) if isinstance(value, dict) else value
    if declared.names or not isinstance(shown, str) or not shown:
        return None
    language = _LANGUAGE.match(shown)
    if aspect.key == "requires" and not (
        language and _words(language[1]) & aspect.words and _words("versioned") & aspect.words
    ):
        return None
    says = table()["manifest"][aspect.key]["says"]
    return ToldDeclaration(f"{says} {shown}", ((_as_written(shown),),))


def _entry(aspect: Aspect, declared: _Declared) -> ToldDeclaration | None:
    """What one entry of a table stands for: what a command runs, what a feature enables."""
    behaves = aspect.words >= {"what", "do"} and not aspect.words & {"run", "script"}
    for key, row in table()["entries"].items():
        entries = declared.table(key)
        name = next((n for n in aspect.names if n.text in entries), None)
        if row["of"] != aspect.key or name is None or (behaves and key != "scripts"):
            continue
        beside = {stem(word) for word in row["beside"].split()}
        if set(declared.names) <= {name.text} and {name.before, name.after} & beside:
            value = entries[name.text]
            told = code_span(value) if isinstance(value, str) else _shown(_texts(value))
            says = row["says"].format(entry=code_span(name.text), value=told)
            places = ((name.text, _as_written(value if isinstance(value, str) else told)),)
            return ToldDeclaration(says, places) if value else None
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
    if not (aspect.words & _words("things") or "dependenc" in declared.text.lower()):
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


_TELLS: Mapping[str, Callable[[Aspect, _Declared], ToldDeclaration | None]] = {
    "features": _features,
    "extras": _features,
    "runs": _entry,
    "brings": _entry,
    "dependencies": _dependencies,
    "dependency": _dependency,
}
"""What tells an aspect; any other is a field."""


def _as_written(value: str) -> str:
    """The first word of a value as the manifest writes it: `>=3.10` of `Python >=3.10`."""
    return _LANGUAGE.sub("", value).strip().split(", ")[0].partition(" ")[0]


def _texts(value: Value) -> list[str]:
    listed = cast("list[Value]", value) if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, str)]


def _shown(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


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
