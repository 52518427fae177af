"""Value quantification in a folder: tags, heartbeats and the ledger.

A tag is `value_quantification: {vq_class, impact_tier, potential_savings_hours}` in a script's
front matter (plain, in a docstring, or behind comment marks) or in its folder's `metadata.yaml`.
The ledger is `value_ledger.json`, in the folder itself or in its `.goldenpath/`; heartbeats are
JSON lines `{"script": …}` in `value_heartbeats.jsonl` beside it, one a successful run. A script is
named from the ledger's folder, from the project's, or from its `scripts/`. A bad row or field is a
problem that names it; the rest is used.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
import yaml

from quipu.errors import InvalidInput
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.when.instants import parse_instant

__all__ = ["ReadValues", "ScriptRuns", "Tag", "fenced", "read_values"]

LEDGER = "value_ledger.json"
HEARTBEATS = "value_heartbeats.jsonl"
_METADATA = "metadata.yaml"
_LARGEST = 20_000_000
_HEAD = 16_000
_CLASSES = ("HV/HQ", "HV/LQ", "MV/HQ", "LV/LQ")
_TIERS = ("tier-1", "tier-2", "tier-3", "low")
_OWN_FOLDER = ".goldenpath"
_SCRIPTS = "scripts"
_FENCE = re.compile(r"([ \t]*(?:(?:#+|/{2,}|--|;+|%+|\*|'|REM)[ \t]*)?)---[ \t]*", re.IGNORECASE)


class Tag(NamedTuple):
    """What a script's run is worth, and the file that says so."""

    path: str
    vq_class: str
    impact_tier: str
    hours: float


class ScriptRuns(NamedTuple):
    """A script's runs in the ledger; `tag` is where its hours come from, if anywhere."""

    script: str
    runs: int
    recorded_hours: float
    first: str
    last: str
    heartbeats: int | None
    tag: Tag | None


class ValueLedger(NamedTuple):
    """The ledger file; `total` is what it states itself."""

    path: str
    total: float | None
    bytes: bytes


class ReadValues(NamedTuple):
    """Everything found under a folder."""

    ledger: ValueLedger
    runs: tuple[ScriptRuns, ...]
    tags: tuple[Tag, ...]
    problems: tuple[Problem, ...]


def read_values(folder: Path, *, home: Path) -> ReadValues:
    """The values under `folder`, paths relative to `home`.

    Raises InvalidInput when there is no ledger that can be read.
    """
    folder = _folder_of_ledger(folder)
    path = folder / LEDGER
    data = read_whole(path, max_bytes=_LARGEST)
    try:
        content = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{str(path)!r} is not JSON ({error}): mend the ledger") from error
    if not isinstance(content, dict):
        raise InvalidInput(f"{str(path)!r} is not an object: it has total_reclaimed_hours, history")
    problems: list[Problem] = []
    fields = cast(dict[str, Any], content)
    beats = _heartbeats(folder / HEARTBEATS, problems)
    counted: dict[str, list[tuple[str, float]]] = {}
    rows = fields.get("history")
    for number, row in enumerate(cast(list[Any], rows) if isinstance(rows, list) else [], 1):
        at = f"{_shown(path, home)}: history[{number}]"
        try:
            script, when, hours = _row(row)
        except InvalidInput as error:
            problems.append(Problem(at, str(error)))
            continue
        counted.setdefault(script, []).append((when, hours))
    tags = {script: _tag(script, home, folder, problems) for script in sorted(counted)}
    total = fields.get("total_reclaimed_hours")
    stated = _hours(total, "total_reclaimed_hours", problems, _shown(path, home))
    runs = tuple(
        ScriptRuns(
            script=script,
            runs=len(each),
            recorded_hours=round(math.fsum(hours for _, hours in each), 6),
            first=min(when for when, _ in each),
            last=max(when for when, _ in each),
            heartbeats=None if beats is None else beats[script],
            tag=tags[script],
        )
        for script, each in sorted(counted.items())
    )
    known = {tag.path: tag for tag in tags.values() if tag is not None}
    found = tuple(known[key] for key in sorted(known))
    return ReadValues(ValueLedger(_shown(path, home), stated, data), runs, found, tuple(problems))


def _folder_of_ledger(folder: Path) -> Path:
    own = folder / _OWN_FOLDER
    return own if not (folder / LEDGER).exists() and (own / LEDGER).exists() else folder


def _shown(path: Path, home: Path) -> str:
    try:
        return path.resolve().relative_to(home.resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def _row(row: Any) -> tuple[str, str, float]:
    if not isinstance(row, dict):
        raise InvalidInput(f"{row!r} is not an object")
    fields = cast(dict[str, Any], row)
    script, hours = fields.get("script"), fields.get("reclaimed_hours")
    if not isinstance(script, str) or not script.strip():
        raise InvalidInput(f"script {script!r} names no script")
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 <= hours < math.inf:
        raise InvalidInput(f"reclaimed_hours {hours!r} is out of range: give 0 or more")
    return script.strip(), parse_instant(str(fields.get("timestamp"))), float(hours)


def _hours(value: Any, name: str, problems: list[Problem], at: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        problems.append(Problem(at, f"{name} {value!r} is out of range: give 0 or more"))
        return None
    return float(value)


def _heartbeats(path: Path, problems: list[Problem]) -> Counter[str] | None:
    """Successful runs by script, or None without a file."""
    if not path.exists():
        return None
    beats: Counter[str] = Counter()
    for number, line in enumerate(
        read_whole(path, max_bytes=_LARGEST).decode("utf-8", "replace").splitlines(), 1
    ):
        if not line.strip():
            continue
        try:
            beat = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            problems.append(Problem(f"{path.name}:{number}", f"is not an object ({error})"))
            continue
        if isinstance(beat.get("script"), str) and beat.get("success") is not False:
            beats[beat["script"].strip()] += 1
    return beats


def _tag(script: str, home: Path, folder: Path, problems: list[Problem]) -> Tag | None:
    """The script's own tag, else its folder's, else None. Of a script that is gone its folder may
    still tell."""
    inside = [each.resolve() for each in (home, folder)]
    places = [(root / script).resolve() for root in _roots(folder, home)]
    places = [file for file in places if any(file.is_relative_to(each) for each in inside)]
    there = [file for file in places if file.is_file()]
    for file in there[:1] or places:
        for each in (file, file.parent / _METADATA):
            fields = _front_matter(each, home, problems)
            if fields is not None and "value_quantification" in fields:
                return _checked(fields["value_quantification"], _shown(each, home), problems)
    return None


def _roots(folder: Path, home: Path) -> Iterator[Path]:
    """What the names in a ledger may be relative to, nearest first."""
    project = folder.parent if folder.name == _OWN_FOLDER else folder
    for root in dict.fromkeys((folder, project, home)):
        yield from (root, root / _SCRIPTS)


def _front_matter(path: Path, home: Path, problems: list[Problem]) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            text = stream.read(_HEAD).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return None
    found = text if path.name == _METADATA else fenced(text)
    if found is None:
        return None
    try:
        content = yaml.safe_load(found)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if "value_quantification" in found:
            message = f"its front matter is not YAML ({str(error).splitlines()[0]})"
            problems.append(Problem(_shown(path, home), message, "warning"))
        return None
    return cast(dict[str, Any], content) if isinstance(content, dict) else None


def fenced(text: str) -> str | None:
    """What stands between the first two lines `---` with the same comment mark (or none) before
    them, without those marks; None without such lines."""
    lines = text.split("\n")
    for start, line in enumerate(lines):
        opening = _FENCE.fullmatch(line)
        if opening is None:
            continue
        mark = opening[1].rstrip()
        body: list[str] = []
        for each in lines[start + 1 :]:
            if not each.startswith(mark) and each.strip():
                break
            bare = each[len(opening[1]) :] if each.startswith(opening[1]) else each[len(mark) :]
            if bare.rstrip() == "---":
                return "\n".join(body)
            body.append(bare)
    return None


def _checked(quantification: Any, path: str, problems: list[Problem]) -> Tag | None:
    """The tag when its hours can be used; other bad fields are left blank and told."""
    if not isinstance(quantification, dict):
        problems.append(Problem(path, f"value_quantification {quantification!r} is not an object"))
        return None
    fields = cast(dict[str, Any], quantification)
    hours = _hours(fields.get("potential_savings_hours"), "potential_savings_hours", problems, path)
    if hours is None:
        if fields.get("potential_savings_hours") is None:
            problems.append(Problem(path, "potential_savings_hours is missing"))
        return None
    vq = re.sub(r"^[^A-Za-z]+", "", str(fields.get("vq_class") or "")).strip()
    tier = str(fields.get("impact_tier") or "").strip()
    for name, value, known in (("vq_class", vq, _CLASSES), ("impact_tier", tier, _TIERS)):
        if value not in known:
            message = f"{name} {fields.get(name)!r} is unknown: use one of {', '.join(known)}"
            problems.append(Problem(path, message, "warning"))
    return Tag(path, vq if vq in _CLASSES else "", tier if tier in _TIERS else "", hours)
