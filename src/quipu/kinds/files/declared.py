"""What a manifest declares, asked for in a question: the licence of its package, what it requires,
its version, who wrote it, where its source is, its commands and what they run, its scripts, its
features and extras and what these bring, and what it depends on.

A question is one of these only when all of it says so: the words of one field, those that go with
it, the project's own name and version, names of manifests, and the name of what the manifest lists.
Any other word ("which Python version fixed the race?") asks for something else.
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


class _Field(NamedTuple):
    """A property of a package, the words that ask for it, words that may stand in the question
    besides, and how it is stated of the package."""

    key: str
    asked: frozenset[str]
    also: frozenset[str]
    says: str


def _field(key: str, asked: str, also: str, says: str) -> _Field:
    return _Field(key, _words(asked), _words(also), says)


_FIELDS = (
    _field(
        "license",
        "licence license licensed licensing licenced",
        "under released distributed code open source kind type terms",
        "is licensed under",
    ),
    _field(
        "requires",
        " ".join(_LANGUAGES.values()),
        f"{_VERSIONED} running work works supporting install installs build compile under engine "
        "engines interpreter on with still",
        "requires",
    ),
    _field(
        "authors",
        "author authors wrote written creator creators created maintainer maintainers "
        "maintains maintained made behind",
        "people main original by",
        "is written by",
    ),
    _field(
        "repository",
        "repository homepage website url repo github source",
        "code link find found hosted live lives page address",
        "has its source at",
    ),
    _field(
        "commands",
        "command commands cli executable executables script scripts entry entrypoint entrypoints",
        "install installs installed provide provides provided bring brings point points line "
        "console called tool",
        "brings the command",
    ),
    _field(
        "scripts",
        "script scripts npm composer",
        "run runs running defined define exist json",
        "has the scripts",
    ),
    _field("version", "version release", "current latest number", "is at version"),
)
_DEFAULTS = _field(
    "features",
    "feature features",
    "default defaults cargo enabled active on by out box flag flags",
    "has the default features",
)
_FEATURES = _field(
    "features",
    "feature features",
    "cargo optional available flag flags define defined offer offers provide provides exist",
    "has the features",
)
_OF_FEATURES = _words("cargo optional flag flags")
_EXTRAS = _field(
    "extras",
    "extra extras",
    "optional pip python available install define defined offer offers provide provides exist",
    "has the extras",
)
_DEPENDENCIES = late(r"\bdependenc(?:y|ies)\b", re.IGNORECASE)
_THINGS = _words("package packages library libraries crate crates gem gems module modules")
_NEEDS = _words("depend depends need needs require requires required rely relies pull pulls")
_BESIDES = _words(
    "third party 3rd external runtime run time direct install installed installing production "
    f"list mandatory hard {_PLATFORMS}"
)
_PINNED = _words(
    f"{_VERSIONED} pin pins pinned constraint constraints specifier range depend depends "
    "development dev test tests testing build building lint docs"
)
_REVERSED = (
    r"\b(?:depends?|rel(?:y|ies)|needs?|requires?|uses?|using|pulls?)(?:\s+(?:on|in))?\s+"
    r"(?:it|this|that|the|our|your|{names})\b"
)


class _Listed(NamedTuple):
    """A table of a manifest: what the question calls its entries, the words that ask what one of
    them stands for, words that may stand besides, and how that is stated."""

    key: str
    called: str
    asked: frozenset[str]
    also: frozenset[str]
    says: str


_TABLES = (
    _Listed(
        "scripts",
        r"(?:(?:npm|yarn|pnpm|composer|package)\s+)?script|(?:npm|yarn|pnpm)(?:\s+run)?",
        _words("run runs execute executes do does invoke invokes call calls behind command"),
        _words("npm yarn script"),
        "{entry} runs {value}",
    ),
    _Listed(
        "commands",
        r"(?:(?:console|cli|command[- ]line|gui)\s+)?"
        r"(?:script|command|entry[- ]?point|executable|binary|bin|cli|program)",
        _words(
            "run runs call calls invoke invokes execute executes point points behind function "
            "implement implements implemented start starts target map maps"
        ),
        _words("python node main method path file code by under console script"),
        "{entry} runs {value}",
    ),
    *(
        _Listed(
            key,
            called,
            _words(
                "enable enables activate activates pull pulls turn turns need needs require "
                "requires install installs include includes bring brings add adds depend depends "
                "dependency dependencies"
            ),
            _words(f"optional extra packages libraries crates features {_PLATFORMS}"),
            says,
        )
        for key, called, says in (
            (
                "features",
                r"(?:cargo\s+)?feature(?:\s+flag)?",
                "The feature {entry} enables {value}",
            ),
            ("extras", r"(?:optional\s+|pip\s+)?extra", "The extra {entry} brings {value}"),
        )
    ),
)
ASKED = frozenset[str]().union(
    *(field.asked for field in (*_FIELDS, _FEATURES, _EXTRAS)),
    *(listed.asked for listed in _TABLES),
    _NEEDS,
    _PINNED,
)
"""The stems without one of which no manifest is asked."""
WORDS = ASKED.union(
    *(field.also for field in (*_FIELDS, _DEFAULTS, _FEATURES, _EXTRAS)),
    *(listed.also for listed in _TABLES),
    _ASKING,
    _THINGS,
    _BESIDES,
)
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
    return _fits(_FIELDS[0], _said(asked.text, names))


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
    answer = (
        _entry(text, declared, names)
        or _of_field(text, called, declared, names)
        or _of_features(text, called, declared, names)
        or _of_dependencies(text, called, declared, names)
        or _of_dependency(text, called, declared, names)
    )
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
    for match in reversed([*_VERSION.finditer(text)]):
        version = match[1]
        of_project = any(
            re.search(
                rf"(?<![\w-]){re.escape(name)}\W+(?:version\W+)?$",
                text[: match.start()],
                re.IGNORECASE,
            )
            for name in names
        )
        if any(f"{each}.".startswith(f"{version}.") for each in versions):
            text = text[: match.start()] + text[match.end() :]
        elif of_project and versions:
            return None
        elif of_project:
            text, sure = text[: match.start()] + text[match.end() :], False
    return text, sure


def _said(text: str, names: Iterable[str]) -> frozenset[str]:
    """The stems of a question, but those that name the project."""
    return _words(text) - {stem for name in names for stem in stems(name)}


def _fits(field: _Field, said: frozenset[str]) -> bool:
    rest = said - _ASKING
    return bool(rest & field.asked) and rest <= field.asked | field.also


def _of_field(
    text: str, called: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """What a field says that is one value, or one list of names."""
    said = _said(text, names)
    for field in _FIELDS:
        value = declared.get(field.key)
        shown = ", ".join(cast("dict[str, Value]", value)) if isinstance(value, dict) else value
        if not isinstance(shown, str) or not shown or not _fits(field, said):
            continue
        if field.key == "requires" and not _requires(shown, said):
            continue
        if field.key == "commands" and _BEHAVES.search(text):
            continue
        return ToldDeclaration(f"`{called}` {field.says} {shown}", ((_as_written(shown),),))
    return None


def _requires(value: str, said: frozenset[str]) -> bool:
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


def _places(listed: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((_name_of(each),) for each in listed[:_SHOWN])


def _entry(
    text: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """What one entry of a table stands for: what a command runs, what a feature enables."""
    for table in _TABLES:
        entries = _table(declared, table.key)
        behaves = table.key != "scripts" and _BEHAVES.search(text)
        for entry in () if behaves else sorted(entries, key=len, reverse=True):
            value = entries[entry]
            shown = value if isinstance(value, str) else _shown(_texts(value))
            rest = _without(entry, table.called, text) if shown else None
            if rest is None:
                continue
            said = _said(rest, names)
            asked = said & table.asked or _BEHAVES.search(text)
            if asked and said - _ASKING <= table.asked | table.also:
                told = code_span(value) if isinstance(value, str) else shown
                sentence = table.says.format(entry=code_span(entry), value=told)
                return ToldDeclaration(sentence, ((entry, _as_written(shown)),))
    return None


def _without(entry: str, called: str, text: str) -> str | None:
    """The question without the entry and what kind of thing it is called beside it ("the `build`
    script", "npm run build"); None where it does not stand there so."""
    name = rf"{_QUOTES}(?<![\w-]){re.escape(entry)}(?![\w-]){_QUOTES}"
    pattern = rf"\b(?:{called})\s+{name}(?:\s+(?:{called})\b)?|{name}\s+(?:{called})\b"
    found = re.search(pattern, text, re.IGNORECASE)
    return text[: found.start()] + text[found.end() :] if found else None


def _of_features(
    text: str, called: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """The features that are on by default, all features, or all extras."""
    said = _said(text, names)
    features, extras = _table(declared, "features"), _table(declared, "extras")
    if said & _words("default defaults") and _fits(_DEFAULTS, said):
        if chosen := _texts(features.get("default")):
            sentence = f"`{called}` {_DEFAULTS.says} {_shown(chosen)}"
            return ToldDeclaration(sentence, (("default", chosen[0]),))
    elif said & _OF_FEATURES and _fits(_FEATURES, said) and features:
        listed = [name for name in features if name != "default"]
        return ToldDeclaration(f"`{called}` {_FEATURES.says} {_shown(listed)}", _places(listed[:1]))
    elif _fits(_EXTRAS, said) and extras:
        return ToldDeclaration(
            f"`{called}` {_EXTRAS.says} {_shown([*extras])}", _places([*extras][:1])
        )
    return None


def _of_dependencies(
    text: str, called: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """What the package depends on, to run or for one of its groups."""
    said = _said(text, names) - (_ASKING - _THINGS - _NEEDS)
    named = _DEPENDENCIES.search(text) is not None
    known = "|".join(re.escape(name) for name in names) or "it"
    reverse = re.search(_REVERSED.format(names=known), text, re.IGNORECASE)
    if not named and (reverse or not said & _THINGS or not said & _NEEDS):
        return None
    rest = said - _THINGS - _NEEDS - _BESIDES
    if not rest:
        if "dependencies" not in declared:
            return None
        listed = _texts(declared["dependencies"])
        shown = f"depends on {_shown(listed)}" if listed else "declares no dependencies"
        return ToldDeclaration(f"`{called}` {shown}", _places(listed) or ((called,),))
    for label, group in _groups(declared):
        if len(rest) == 1 and _is_group(label, next(iter(rest))):
            sentence = f"`{called}` has the dependencies {_shown(group)} ({label})"
            return ToldDeclaration(sentence, _places(group))
    return None


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


def _of_dependency(
    text: str, called: str, declared: Mapping[str, Value], names: Sequence[str]
) -> ToldDeclaration | None:
    """In which version the package needs another, where the manifest names one."""
    needed = [("", each) for each in _texts(declared.get("dependencies"))]
    needed += [(label, each) for label, listed in _groups(declared) for each in listed]
    for name in dict.fromkeys(_name_of(each) for _, each in needed):
        rest = _without_versioned(own_name(name), text)
        found = [(label, each) for label, each in needed if _name_of(each) == name != each]
        also = _words(" ".join(label for label, _ in found))
        if rest is None or not _said(rest, names) - _ASKING <= _PINNED | also:
            continue
        if found:
            shown = dict.fromkeys(f"{each} ({label})" if label else each for label, each in found)
            written = found[0][1].removeprefix(name).strip(" ()").partition(" ")[0]
            return ToldDeclaration(f"`{called}` depends on {'; '.join(shown)}", ((name, written),))
    return None


def _without_versioned(name: str, text: str) -> str | None:
    """The question without the name of a dependency and the word `version` at it; None where it
    asks for no version of that."""
    whole = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    least = r"(?:min(?:imum|imal)?|oldest|lowest|pinned)"
    kinds = r"(?:versions?|constraints?|specifiers?|range)"
    pattern = (
        rf"\b{kinds}\s+(?:of|for)\s+(?:the\s+)?{_QUOTES}{whole}{_QUOTES}"
        rf"|{_QUOTES}{whole}{_QUOTES}(?:['’]s)?\s+(?:version\s+)?{kinds}\b"
        rf"|\b{least}\s+{_QUOTES}{whole}{_QUOTES}"
    )
    found = re.search(pattern, text, re.IGNORECASE)
    return text[: found.start()] + text[found.end() :] if found else None
