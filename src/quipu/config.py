"""The configuration: read once, never consulted behind a caller's back.

Four layers, the later one wins: the user's own `quipu.toml`, the nearest one upward from the
working directory, the `.env` beside that, and `QUIPU_SECTION_KEY` in the environment. `.env` is
read, never exported. What a folder's files set of servers, keys, files, stores and spending
counts only where the user trusts the folder (`quipu.trust`). A key of a file that is not known
here, or a value of the wrong type, raises InvalidConfig and says where; an unknown variable is
logged, since other programs may use one.
"""

import difflib
import hashlib
import logging
import os
import shlex
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from quipu.errors import InvalidConfig, UntrustedFolder
from quipu.facts.attributes import FUNCTIONAL, Attribute, Attributes
from quipu.models.endpoint import ADDRESS_VARIABLES, KEY_VARIABLES
from quipu.models.settings import NEEDS_TRUST, ORDINARY, ChatConfig, EmbedConfig, trust_unless
from quipu.records.authority import VENDORED
from quipu.tables import read_table
from quipu.trust import own_configuration, settings_are_trusted

__all__ = [
    "AnswerConfig",
    "ChatConfig",
    "Config",
    "CrawlConfig",
    "EmbedConfig",
    "EntitiesConfig",
    "FactsConfig",
    "GuardedSetting",
    "IncidentsConfig",
    "IndexConfig",
    "IngestConfig",
    "SearchConfig",
    "SessionsConfig",
    "Setting",
    "SourcesConfig",
    "StoreConfig",
    "UsageConfig",
    "asked_by",
    "digest_of",
    "environment",
    "find_upward",
    "load",
    "settings",
]

FILE_NAME = "quipu.toml"
PREFIX = "QUIPU_"

_log = logging.getLogger(__name__)


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class StoreConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the memory lives."""

    url: str = ""
    namespace: Annotated[str, Meta(min_length=1)] = "default"


Engine = Literal["local", "ray"]


class IndexConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which files are read, and how."""

    max_bytes: Annotated[int, Meta(ge=1)] = 5_000_000
    max_seconds: Annotated[float, Meta(ge=0)] = 30.0
    max_memory_mb: Annotated[int, Meta(ge=0)] = 1_000
    include: Annotated[tuple[str, ...], ORDINARY] = ()
    exclude: Annotated[tuple[str, ...], ORDINARY] = ()
    credentials: tuple[str, ...] = ()
    workers: Annotated[int, Meta(ge=0)] = 0
    engine: Engine = "local"
    address: str = ""
    stale_hours: Annotated[float, Meta(gt=0)] = 48.0


class SearchConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a search does unless it is told otherwise."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    mode: Literal["local", "documents"] = "local"


class SessionsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is kept of conversations."""

    store: Literal["full", "preview"] = "full"
    preview_characters: Annotated[int, Meta(ge=500, le=1500)] = 1000
    hooks_idle_s: Annotated[float, Meta(gt=0)] = 3600.0


class IngestConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What becomes of texts, messages and transcripts that are given (`add`, `ingest`)."""

    extract: Annotated[Literal["rules", "model", "off"], trust_unless("rules", "off")] = "rules"
    junk: Literal["refuse", "keep"] = "refuse"


class SourcesConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may assert what (`docs/explanation/authority.md`)."""

    vendored: tuple[str, ...] = VENDORED
    may_assert: dict[str, str] = {}


class UsageConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read and not used: what is asked is written down no more. It goes with the next version."""

    log: bool = False
    max_bytes: Annotated[int, Meta(ge=10_000)] = 2_000_000


class AttributeConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attribute of facts, or more phrases for one that is known."""

    verbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    single: bool | None = None
    opposite: str = ""
    family: str = ""
    """Read and not used: it said which attributes a change follows, which asks for no table now."""


class FactsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How dated facts stand to each other."""

    functional: Annotated[tuple[str, ...], ORDINARY] = tuple(sorted(FUNCTIONAL))
    attributes: Annotated[dict[str, AttributeConfig], ORDINARY] = {}

    def table(self) -> Attributes:
        """The table of attributes as it holds here."""
        own = (
            Attribute(
                name.lower(),
                each.verbs,
                each.nouns,
                each.begins,
                each.ends,
                functional=each.single,
                inverse=each.opposite,
            )
            for name, each in self.attributes.items()
        )
        return Attributes(own, functional=self.functional)


class EntitiesConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What becomes of things that seem to be one."""

    merge: Literal["propose", "auto"] = "propose"


class IncidentsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How past incidents take part in recommended actions."""

    retrieval: Literal["off", "shadow", "on"] = "off"
    window_seconds: Annotated[int, Meta(ge=1)] = 300
    policies: str = ""


class CrawlConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How pages are fetched when `quipu ingest` is given a URL (`docs/how-to/pages.md`)."""

    max_bytes: Annotated[int, Meta(ge=1)] = 10_000_000
    timeout_s: Annotated[float, Meta(gt=0, le=600)] = 30.0
    ports: Annotated[tuple[Annotated[int, Meta(ge=1, le=65535)], ...], NEEDS_TRUST] = (80, 443)
    user_agent: str = ""


class AnswerConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When an answer is given, hedged or withheld."""

    floor: float | None = None
    assert_above: Annotated[float, Meta(ge=0, le=1)] = 0.70


class Config(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set, by section."""

    store: StoreConfig = StoreConfig()
    index: IndexConfig = IndexConfig()
    embed: EmbedConfig = EmbedConfig()
    search: SearchConfig = SearchConfig()
    answer: AnswerConfig = AnswerConfig()
    chat: ChatConfig = ChatConfig()
    sessions: SessionsConfig = SessionsConfig()
    ingest: IngestConfig = IngestConfig()
    crawl: CrawlConfig = CrawlConfig()
    facts: FactsConfig = FactsConfig()
    sources: SourcesConfig = SourcesConfig()
    usage: UsageConfig = UsageConfig()
    entities: EntitiesConfig = EntitiesConfig()
    incidents: IncidentsConfig = IncidentsConfig()


class Setting(NamedTuple):
    """One documented key: `docs/reference/configuration.md` is made from these."""

    key: str
    hint: object
    default: str
    environment: str
    doc: str
    trust: bool
    harmless: tuple[str, ...]

    def asks(self, value: Any) -> bool:
        """Whether `value` counts in a folder's file only with the user's word; a table does when
        one of its values does."""
        entries: list[object] = [*value.values()] if isinstance(value, dict) else [value]
        return self.trust and any(each not in self.harmless for each in entries)


class GuardedSetting(NamedTuple):
    """Something that a folder's `file` sets and that counts only with the user's word: a setting
    (`chat.base_url`) or a variable that holds a key."""

    file: str
    key: str
    value: object


def settings() -> Iterator[Setting]:
    """Every key there is, in the order of the sections; `settings.toml` says what each means."""
    said = read_table("quipu", "settings.toml")
    for section, kind in _sections().items():
        for name, hint in get_type_hints(kind, include_extras=True).items():
            bare, *metas = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            declared = next((each.extra for each in metas if each.extra), dict[str, Any]())
            yield Setting(
                f"{section}.{name}",
                bare,
                _toml(getattr(kind(), name)),
                f"{PREFIX}{section}_{name}".upper(),
                " ".join(said[section][name].split()),
                declared.get("trust", _is_text(bare)),
                declared.get("harmless", ()),
            )


def find_upward(name: str, start: Path | None = None) -> Path | None:
    """The nearest `name` in `start` (default: the working directory) or a folder above it."""
    folder = (start or Path.cwd()).resolve()
    for each in (folder, *folder.parents):
        if (each / name).exists():
            return each / name
    return None


def load(
    file: Path | None = None,
    *,
    start: Path | None = None,
    environ: Mapping[str, str] | None = None,
    needs: Collection[str] = (),
) -> Config:
    """The configuration in `file`, which must exist, or else the one that holds in `start`
    (default: the working directory), upon the user's own.

    `environ` stands for the environment. What a folder that is not trusted sets in vain is
    logged; it is an error (UntrustedFolder) when it is one of `needs` (keys, or whole sections).
    Raises InvalidConfig.
    """
    if file is not None and not file.is_file():
        raise InvalidConfig(
            f"there is no configuration file {str(file)!r}: name one that exists, or run "
            "`quipu init` to make one"
        )
    variables = os.environ if environ is None else environ
    toml, folder = _place(file, start)
    own = own_configuration()
    values = _read_toml(own) if own is not None and own.is_file() else {}
    theirs = None if file or toml == own else toml
    ordinary, every, asked = _of_folder(folder, theirs)
    whole = asked if theirs == toml else asked_by(folder)
    is_trusted = not asked or settings_are_trusted(folder, digest_of(whole))
    if file is not None:
        _merge(values, _read_toml(file))
    _merge(values, every if is_trusted else ordinary)
    _overlay(values, variables, "the environment")
    if not is_trusted:
        _refuse(folder, asked, variables, needs)
    return _convert(values, str(toml) if toml else "the configuration")


def environment(start: Path | None = None) -> dict[str, str]:
    """The keys and addresses in the `.env` of the folder whose configuration holds in `start`, if
    that is trusted, overlaid by the process's own variables: where keys are looked for."""
    folder = _place(None, start)[1]
    asked = asked_by(folder)
    if not asked or not settings_are_trusted(folder, digest_of(asked)):
        return dict(os.environ)
    variables = {each.key: str(each.value) for each in asked if each.key in _variables()}
    return {**variables, **os.environ}


def asked_by(folder: Path) -> tuple[GuardedSetting, ...]:
    """What the `quipu.toml` and `.env` in `folder` set that counts only with the user's word."""
    toml = folder / FILE_NAME
    return _of_folder(folder, toml if toml.is_file() else None)[2]


def digest_of(asked: Collection[GuardedSetting]) -> str:
    """The hash of what is asked for: what the user allows, and nothing else."""
    plain = sorted(msgspec.json.encode([each.file, each.key, each.value]) for each in asked)
    return hashlib.sha256(b"\n".join(plain)).hexdigest()


def _place(file: Path | None, start: Path | None) -> tuple[Path | None, Path]:
    """The configuration file, if there is one, and the folder it stands for."""
    toml = file or find_upward(FILE_NAME, start)
    return toml, (toml.parent if toml else (start or Path.cwd())).resolve()


def _of_folder(
    folder: Path, toml: Path | None
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]], tuple[GuardedSetting, ...]]:
    """What the folder's files set: what counts in any case, everything, and what needs the user's
    word."""
    declared = {setting.key: setting for setting in settings()}
    variables = _read_env_file(folder / ".env")
    from_env: dict[str, dict[str, Any]] = {}
    _overlay(from_env, variables, str(folder / ".env"))
    ordinary: dict[str, dict[str, Any]] = {}
    every: dict[str, dict[str, Any]] = {}
    asked: list[GuardedSetting] = []
    for name, values in ((FILE_NAME, _read_toml(toml) if toml else {}), (".env", from_env)):
        _merge(every, values)
        for section, table in values.items():
            for key, value in table.items():
                setting = declared[f"{section}.{key}"]
                if setting.asks(value):
                    asked.append(GuardedSetting(name, setting.key, value))
                else:
                    ordinary.setdefault(section, {})[key] = value
    asked += [
        GuardedSetting(".env", each, variables[each]) for each in _variables() if each in variables
    ]
    return ordinary, every, tuple(asked)


def _variables() -> tuple[str, ...]:
    return (*sorted(KEY_VARIABLES.values()), *ADDRESS_VARIABLES)


def _merge(values: dict[str, dict[str, Any]], more: Mapping[str, Mapping[str, Any]]) -> None:
    for section, table in more.items():
        values.setdefault(section, {}).update(table)


def _refuse(
    folder: Path,
    asked: Collection[GuardedSetting],
    variables: Mapping[str, str],
    needs: Collection[str],
) -> None:
    """Say which settings do not count, unless the environment makes them anyway."""
    vain = sorted(
        {
            each.key
            for each in asked
            if "." in each.key and f"{PREFIX}{each.key.replace('.', '_')}".upper() not in variables
        }
    )
    if not vain:
        return
    message = (
        f"{', '.join(vain)} in {str(folder)!r} does not count: what names a model, an address, a "
        "key, a file or a store, or lets one spend, needs your word there; see what it is and "
        f"allow it with `quipu trust {shlex.quote(str(folder))}`, or set it in your own "
        f"{str(own_configuration() or FILE_NAME)!r}"
    )
    if any(key in needs or key.partition(".")[0] in needs for key in vain):
        raise UntrustedFolder(message)
    _warn(message)


@cache
def _warn(message: str) -> None:
    """Once a process."""
    _log.warning("%s", message)


def _read_toml(path: Path) -> dict[str, dict[str, Any]]:
    if not path.is_file():  # a pipe would be waited for, a device has no end
        raise InvalidConfig(f"{path} is no regular file; mend or remove it")
    try:
        read: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidConfig(f"{path} cannot be read: {error}; mend or remove it") from error
    for section, table in read.items():
        if section not in _sections():
            raise InvalidConfig(_unknown(str(path), section, list(_sections())))
        if not isinstance(table, dict):
            raise InvalidConfig(f"{path}: {section!r} is a section: write [{section}]")
        known = _keys(section)
        for key in table:  # pyright: ignore[reportUnknownVariableType]  # TOML keys are text
            if key not in known:
                names = [f"{section}.{name}" for name in known]
                raise InvalidConfig(_unknown(str(path), f"{section}.{key}", names))
    return read


def _read_env_file(path: Path) -> dict[str, str]:
    """`KEY=value` lines; `export`, quotes and comments as shells have them; no expansion."""
    try:
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    except (OSError, UnicodeDecodeError):
        return {}
    found: dict[str, str] = {}
    for line in lines:
        key, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not key.startswith("#"):
            found[key.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    if value[:1] in {'"', "'"} and (end := value.find(value[0], 1)) > 0:
        return value[1:end]
    return value.partition(" #")[0].strip()


def _overlay(values: dict[str, dict[str, Any]], variables: Mapping[str, str], origin: str) -> None:
    known = {s.environment: s.key for s in settings()}
    for name in sorted(variables):
        if not name.startswith(PREFIX):
            continue
        if name not in known:  # another program's, or a typing mistake
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            _warn(f"{origin}: {name!r} is no setting and does nothing{hint}")
            continue
        section, _, key = known[name].partition(".")
        values.setdefault(section, {})[key] = _parsed(section, key, variables[name], name, origin)


def _parsed(section: str, key: str, text: str, name: str, origin: str) -> object:
    hint = get_type_hints(_sections()[section], include_extras=True)[key]
    value: object = text
    kind = get_origin(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
    if kind is tuple:
        value = [part.strip() for part in text.split(",") if part.strip()]
    if kind is dict:
        pairs = (part.partition("=") for part in text.split(",") if part.strip())
        value = {name.strip(): given.strip() for name, _, given in pairs}
    try:
        return msgspec.to_builtins(msgspec.convert(value, hint, strict=False))
    except msgspec.ValidationError as error:
        raise InvalidConfig(f"{origin}: {name}={text!r} cannot be used: {error}") from error


def _convert(values: dict[str, dict[str, Any]], origin: str) -> Config:
    try:
        return msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `")
        key = place.rpartition("$.")[2].rstrip("`")
        section, _, name = key.partition(".")
        value = values.get(section, {}).get(name.partition("[")[0])
        raise InvalidConfig(f"{origin}: {key} = {value!r} cannot be used: {message}") from error


def _unknown(origin: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return f"{origin}: there is no setting {key!r}; {hint}"


def _sections() -> dict[str, type[msgspec.Struct]]:
    return get_type_hints(Config)


def _keys(section: str) -> list[str]:
    return list(get_type_hints(_sections()[section]))


def _is_text(kind: object) -> bool:
    """Whether a value of this type holds text that is not one of a few known words."""
    if kind is str:
        return True
    return get_origin(kind) is not Literal and any(_is_text(part) for part in get_args(kind))


def _toml(value: object) -> str:
    if value is None:
        return "unset"
    return msgspec.json.encode(value).decode()
