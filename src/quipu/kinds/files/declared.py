"""What a manifest declares, asked for in a question: the licence of its package, what it requires,
its version, who wrote it, where its source is, its commands, scripts, features and extras and what
these bring, and what it depends on.

A question is one of these only when all of it says so: what asks for a field, what may stand beside
any of them, the project's own name and version, names of manifests, and the name of what the
manifest lists. Any other word ("which Python version fixed the race?") asks for something else.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from quipu.answer.quote import code_span, holds_order
from quipu.patterns import late
from quipu.records.record import Value
from quipu.text import name_key, stems

__all__ = [
    "ASKED",
    "MANIFESTS",
    "WORDS",
    "DeclaredQuestion",
    "ToldDeclaration",
    "asks_for_licence",
    "own_name",
    "read_declared",
    "told_of",
]

MANIFESTS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pkg-info",
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
_IN_MANIFEST = late(
    rf"(?<![\w./-])(?:{'|'.join(map(re.escape, MANIFESTS))})(?![\w/-])", re.IGNORECASE
)
_SELF = late(
    r"\b(?:this|the|our|your)\s+(?:current\s+|whole\s+)?(?:project|repo(?:sitory)?|package|library"
    r"|code ?base|tool|program|software|app(?:lication)?|framework|crate|module|gem)\b"
    r"|\b(?:for|of|in|by)\s+(?:this|that|the current)\s+(?:release|version)\b",
    re.IGNORECASE,
)
# What asks for something else than what it names, for a time, a reason, a number or a manner.
_OTHER = late(
    r"\b(?:instead|rather than|other than|besides|except|apart from|no longer|replac\w+|when|why"
    r"|since|before|after|until|ever|not|without|how (?:many|much|often|long))\b|n['’]t\b"
    r"|\bhow\b(?!.*\blicen)",
    re.IGNORECASE,
)
_BEHAVES = late(r"\bwhat\s+(?:do|does|did|would|will)\b.*\bdo\W*$|\bused? for\b", re.IGNORECASE)
_VERSION = late(r"(?<![\w.])v?(\d+(?:\.\d+)+(?:[-+.]?[a-z]+[\w.]*)?)(?![\w.]*\w)", re.IGNORECASE)
_LANGUAGE = late(r"^(Python|Node\.js|Rust|Go|Java|PHP) ")
_LANGUAGES = {
    "Python": "python cpython",
    "Node.js": "node nodejs node.js",
    "Rust": "rust rustc msrv",
    "Go": "go golang",
    "Java": "java jdk",
    "PHP": "php",
}
_WRITTEN = late(r"[^\s,;<>=!~^(\[]+")
_GROUP_END = late(r"[-_]?dependencies$", re.IGNORECASE)
_QUOTES = "[`'\"\u201c\u201d]?"
_DEPENDENCIES = late(r"\bdependenc(?:y|ies)\b", re.IGNORECASE)
_REVERSED = (
    r"\b(?:depends?|rel(?:y|ies)|needs?|requires?|uses?|using|pulls?)(?:\s+(?:on|in))?\s+"
    r"(?:it|this|that|the|our|your|{names})\b"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(stems(text))


_ASKING = _words(
    "what which who where how is are does do can the this that it its of for a an i we use to "
    "there have has in please tell me declared declares declare stated specified listed set say "
    "says said show give name manifest metadata package project library crate module"
)
_PLATFORMS = "python node nodejs node.js npm pip cargo rust go golang java php composer"
_VERSIONED = (
    "version versions minimum min minimal least oldest earliest lowest require requires required "
    "requirement support supported supports need needs needed compatible run runs directive msrv"
)
_AVAILABLE = "optional available define defined offer offers provide provides exist"


class _Asks(NamedTuple):
    """What asks for something: words of which one must stand in the question, and those that may
    stand besides."""

    asked: frozenset[str]
    also: frozenset[str]

    def fits(self, said: frozenset[str]) -> bool:
        """Whether that is asked for and nothing else."""
        rest = said - _ASKING
        return bool(rest & self.asked) and rest <= self.asked | self.also


def _asks(asked: str, also: str) -> _Asks:
    return _Asks(_words(asked), _words(also))


_LICENCE = _asks(
    "licence license licensed licensing licenced",
    "under released distributed code open source kind type terms",
)
_FIELDS: tuple[tuple[str, _Asks, str], ...] = (
    ("license", _LICENCE, "is licensed under"),
    (
        "requires",
        _asks(" ".join(_LANGUAGES.values()), f"{_VERSIONED} install build compile work still on"),
        "requires",
    ),
    (
        "authors",
        _asks("author wrote written creator created maintainer maintains made", "people main"),
        "is written by",
    ),
    (
        "repository",
        _asks(
            "repository homepage website url repo github source", "code link find hosted page live"
        ),
        "has its source at",
    ),
    (
        "commands",
        _asks(
            "command cli executable script entry entrypoint",
            "install installed provide bring point line console called tool",
        ),
        "brings the command",
    ),
    ("scripts", _asks("script npm composer", f"run json {_AVAILABLE}"), "has the scripts"),
    ("version", _asks("version release", "current latest number"), "is at version"),
)
_DEFAULTS = _asks("feature", f"default cargo enabled active on by {_AVAILABLE}")
_FEATURES = _asks("feature", f"cargo flag {_AVAILABLE}")
_EXTRAS = _asks("extra", f"pip python install {_AVAILABLE}")
_OF_FEATURES = _words("cargo optional flag")
_THINGS = _words("package packages library libraries crate crates gem gems module modules")
_NEEDS = _words("depend need require required rely pull")
_BESIDES = _words(
    f"third party 3rd external runtime run time direct install production list {_PLATFORMS}"
)
_PINNED = _words(
    f"{_VERSIONED} pin pinned constraint specifier range depend development dev test build docs"
)
_RUNS = _asks(
    "run execute do invoke call behind function implement point start command",
    f"main method path file code under console script by {_PLATFORMS}",
)
_BRINGS = _asks(
    "enable activate pull turn need require install include bring add depend dependency",
    f"optional extra libraries features {_PLATFORMS}",
)
_TABLES: tuple[tuple[str, str, _Asks, str], ...] = (
    (
        "scripts",
        r"(?:(?:npm|yarn|pnpm|composer|package)\s+)?script|(?:npm|yarn|pnpm)(?:\s+run)?",
        _RUNS,
        "{entry} runs {value}",
    ),
    (
        "commands",
        (
            r"(?:(?:console|cli|command[- ]line|gui)\s+)?"
            r"(?:script|command|entry[- ]?point|executable|binary|bin|cli|program)"
        ),
        _RUNS,
        "{entry} runs {value}",
    ),
    (
        "features",
        r"(?:cargo\s+)?feature(?:\s+flag)?",
        _BRINGS,
        "The feature {entry} enables {value}",
    ),
    ("extras", r"(?:optional\s+|pip\s+)?extra", _BRINGS, "The extra {entry} brings {value}"),
)
"""Tables of a manifest: what the question calls their entries, what asks what one of them stands
for, and how that is stated."""
_EVERY = (
    *(asks for _, asks, _ in _FIELDS),
    _DEFAULTS,
    _FEATURES,
    _EXTRAS,
    _RUNS,
    _BRINGS,
)
ASKED = frozenset[str]().union(*(asks.asked for asks in _EVERY), _NEEDS, _PINNED)
"""The stems without one of which no manifest is asked."""
WORDS = ASKED.union(*(asks.also for asks in _EVERY), _ASKING, _THINGS, _BESIDES)
"""The stems of a question for a manifest that name no package."""


class DeclaredQuestion(NamedTuple):
    """A question that a manifest may answer, without what names the project itself: `manifests`
    are those that it names, `itself` whether it speaks of the project without its name."""

    text: str
    manifests: frozenset[str]
    itself: bool


class ToldDeclaration(NamedTuple):
    """A sentence, and the `words` that stand together where the manifest says it, for each place;
    the first of these must."""

    text: str
    places: tuple[tuple[str, ...], ...]


def read_declared(question: str) -> DeclaredQuestion | None:
    """A question that a manifest may answer; None for another."""
    if not ASKED & set(stems(question)) or _OTHER.search(question):
        return None
    named = frozenset(map(name_key, _IN_MANIFEST.findall(question)))
    bare = _IN_MANIFEST.sub(" ", question)
    without = _SELF.sub(" ", bare)
    return DeclaredQuestion(without, named, without != bare)


def asks_for_licence(asked: DeclaredQuestion, names: Iterable[str]) -> bool:
    """Whether the licence of the project is asked for and nothing else."""
    return _LICENCE.fits(_said(asked.text, names))


def told_of(
    asked: DeclaredQuestion,
    called: str,
    declared: Mapping[str, Value],
    *,
    names: Sequence[str],
    versions: Collection[str],
) -> ToldDeclaration | None:
    """What a manifest, whose package is `called` so, says to the question; `names` and `versions`
    are those of the project."""
    found = _at_version(asked.text, names, versions)
    if found is None or holds_order(called):
        return None
    text, sure = found
    declared = _tellable(declared)
    answer = _entry(text, declared, names)
    if answer is None:
        ways = (_field, _listed, _dependencies, _dependency)
        told = next(filter(None, (way(text, declared, names) for way in ways)), None)
        answer = told and told._replace(text=f"`{called}` {told.text}")
    if answer is None or sure:
        return answer
    return answer._replace(text=f"{answer.text}; its manifest names no version of its own")


def _tellable(declared: Mapping[str, Value]) -> dict[str, Value]:
    """What may be told of a manifest: no order, and nothing too long for what it is."""
    tellable = {
        key: _without_orders(value) for key, value in declared.items() if _is_brief(key, value)
    }
    return {key: value for key, value in tellable.items() if value is not None}


def _is_brief(key: str, value: Value) -> bool:
    if key not in _BRIEF or not isinstance(value, str):
        return True
    each = value.split(", ") if key == "authors" else [value]
    return all(len(one) <= _LONGEST for one in each)


def _without_orders(value: Value) -> Value:
    """A value without the entries that are orders, after a name too; None where none is left."""
    if isinstance(value, str):
        parts = (value, value.partition(" ")[2], *value.split(", "))
        return None if any(map(holds_order, parts)) else value
    if isinstance(value, list):
        listed = map(_without_orders, cast("list[Value]", value))
        return [each for each in listed if each is not None] or (None if value else value)
    if isinstance(value, dict):
        entries = cast("dict[str, Value]", value).items()
        kept = {k: _without_orders(v) for k, v in entries if not holds_order(k)}
        return {k: v for k, v in kept.items() if v is not None}
    return value


def own_name(name: str) -> str:
    """What people call a package: the last part of its path or coordinates, without a version
    (`github.com/spf13/cobra/v2`: cobra)."""
    parts = [part for part in re.split(r"[/:]", name) if not re.fullmatch(r"v\d+", part)]
    return parts[-1] if parts else name


def _at_version(
    text: str, names: Sequence[str], versions: Collection[str]
) -> tuple[str, bool] | None:
    """The question without the version of the project that it names, and whether the project
    declares that version; None where it declares another. A version of something else stays."""
    sure = True
    known = "|".join(map(re.escape, names)) or "(?!)"
    before = re.compile(rf"(?<![\w-])(?:{known})\W+(?:version\W+)?$", re.IGNORECASE)
    for match in reversed([*_VERSION.finditer(text)]):
        of_project = before.search(text[: match.start()]) is not None
        declared = any(f"{each}.".startswith(f"{match[1]}.") for each in versions)
        if of_project and versions and not declared:
            return None
        if declared or of_project:
            text, sure = text[: match.start()] + text[match.end() :], declared
    return text, sure


def _said(text: str, names: Iterable[str]) -> frozenset[str]:
    """The stems of a question, but those that name the project."""
    return _words(text) - {stem for name in names for stem in stems(name)}


def _field(
    text: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """What a field says that is one value, or one list of names."""
    said = _said(text, names)
    for key, asks, says in _FIELDS:
        value = declared.get(key)
        shown = ", ".join(cast("dict[str, Value]", value)) if isinstance(value, dict) else value
        if not isinstance(shown, str) or not shown or not asks.fits(said):
            continue
        if key == "requires" and not _is_of_language(shown, said):
            continue
        if key == "commands" and _BEHAVES.search(text):
            continue
        return ToldDeclaration(f"{says} {shown}", ((_as_written(shown),),))
    return None


def _is_of_language(value: str, said: frozenset[str]) -> bool:
    """Whether a requirement is one of the language that is asked for, and a version is."""
    found = _LANGUAGE.match(value)
    of_it = found is not None and bool(_words(_LANGUAGES[found[1]]) & said)
    return of_it and bool(said & _words(_VERSIONED))


def _as_written(value: str) -> str:
    """The first word of a value as the manifest writes it: `>=3.10` of `Python >=3.10`."""
    return _LANGUAGE.sub("", value).strip().split(", ")[0].partition(" ")[0]


def _table(declared: Mapping[str, Value], key: str) -> dict[str, Value]:
    entries = declared.get(key)
    return cast("dict[str, Value]", entries) if isinstance(entries, dict) else {}


def _texts(value: Value) -> list[str]:
    listed = cast("list[Value]", value) if isinstance(value, list) else []
    return [each for each in listed if isinstance(each, str)]


def _shown(listed: Sequence[str]) -> str:
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def _name_of(requirement: str) -> str:
    """The name that a requirement begins with."""
    written = _WRITTEN.match(requirement)
    return written[0] if written else requirement


def _entry(
    text: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """What one entry of a table stands for: what a command runs, what a feature enables."""
    for key, called, asks, says in _TABLES:
        entries, behaves = _table(declared, key), _BEHAVES.search(text) is not None
        if behaves and key != "scripts":
            continue
        for entry in sorted(entries, key=len, reverse=True):
            value = entries[entry]
            shown = value if isinstance(value, str) else _shown(_texts(value))
            name = rf"{_QUOTES}(?<![\w-]){re.escape(entry)}(?![\w-]){_QUOTES}"
            at = rf"\b(?:{called})\s+{name}(?:\s+(?:{called})\b)?|{name}\s+(?:{called})\b"
            rest = _cut(at, text) if shown else None
            said = _said(rest or "", names)
            if rest is not None and (asks.fits(said) or (behaves and said <= _ASKING)):
                told = code_span(value) if isinstance(value, str) else shown
                sentence = says.format(entry=code_span(entry), value=told)
                return ToldDeclaration(sentence, ((entry, _as_written(shown)),))
    return None


def _cut(pattern: str, text: str) -> str | None:
    """The text without what fits first; None where nothing does."""
    found = re.search(pattern, text, re.IGNORECASE)
    return text[: found.start()] + text[found.end() :] if found else None


def _listed(
    text: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """The features that are on by default, all features, or all extras."""
    said = _said(text, names)
    features, extras = _table(declared, "features"), _table(declared, "extras")
    chosen = _texts(features.get("default"))
    if said & _words("default") and _DEFAULTS.fits(said):
        told = f"has the default features {_shown(chosen)}"
        return ToldDeclaration(told, (("default", chosen[0]),)) if chosen else None
    for entries, asks, called in (
        (features if said & _OF_FEATURES else {}, _FEATURES, "features"),
        (extras, _EXTRAS, "extras"),
    ):
        listed = [name for name in entries if name != "default"]
        if listed and asks.fits(said):
            return ToldDeclaration(f"has the {called} {_shown(listed)}", ((listed[0],),))
    return None


def _dependencies(
    text: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """What the package depends on, to run or for one of its groups."""
    said = _said(text, names) - (_ASKING - _THINGS - _NEEDS)
    known = "|".join(re.escape(name) for name in names) or "it"
    reverse = re.search(_REVERSED.format(names=known), text, re.IGNORECASE)
    needs = bool(said & _THINGS and said & _NEEDS) and not reverse
    if not needs and not _DEPENDENCIES.search(text):
        return None
    rest = said - _THINGS - _NEEDS - _BESIDES
    if not rest and "dependencies" in declared:
        listed = _texts(declared["dependencies"])
        told = f"depends on {_shown(listed)}" if listed else "declares no dependencies"
        return ToldDeclaration(told, _places(listed, names))
    for label, group in _groups(declared) if len(rest) == 1 else ():
        if _is_group(label, next(iter(rest))):
            told = f"has the dependencies {_shown(group)} ({label})"
            return ToldDeclaration(told, _places(group, names))
    return None


def _places(listed: Sequence[str], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((_name_of(each),) for each in (listed or names)[:_SHOWN])


def _groups(declared: Mapping[str, Value]) -> Iterator[tuple[str, list[str]]]:
    """What is needed besides, by what it is called: `dev` of `devDependencies`, `extra redis`."""
    for key, listed in _table(declared, "groups").items():
        yield _GROUP_END.sub("", key) or key, _texts(listed)
    for key, listed in _table(declared, "extras").items():
        yield f"extra {key}", _texts(listed)


def _is_group(label: str, word: str) -> bool:
    """Whether a group is called so: `dev` by "development", `testing` by "test"."""
    (name, *_) = stems(label.removeprefix("extra ")) or [label]
    return len(name) > 2 and (word.startswith(name) or name.startswith(word))


def _dependency(
    text: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """In which version the package needs another, where the manifest names one."""
    needed = [("", each) for each in _texts(declared.get("dependencies"))]
    needed += [(label, each) for label, listed in _groups(declared) for each in listed]
    for name in dict.fromkeys(_name_of(each) for _, each in needed):
        found = [(label, each) for label, each in needed if _name_of(each) == name != each]
        whole = rf"{_QUOTES}(?<![\w-]){re.escape(own_name(name))}(?![\w-]){_QUOTES}"
        least = r"(?:min(?:imum|imal)?|oldest|lowest|pinned)"
        kinds = r"(?:versions?|constraints?|specifiers?|range)"
        at = (
            rf"\b{kinds}\s+(?:of|for)\s+(?:the\s+)?{whole}"
            rf"|{whole}(?:['’]s)?\s+(?:version\s+)?{kinds}\b|\b{least}\s+{whole}"
        )
        rest = _cut(at, text) if found else None
        also = _words(" ".join(label for label, _ in found))
        if rest is None or not _said(rest, names) - _ASKING <= _PINNED | also:
            continue
        shown = dict.fromkeys(f"{each} ({label})" if label else each for label, each in found)
        written = found[0][1].removeprefix(name).strip(" ()").partition(" ")[0]
        return ToldDeclaration(f"depends on {'; '.join(shown)}", ((name, written),))
    return None
