"""Value quantification in a folder: tags, heartbeats and the ledger (docs/how-to/values.md).

A bad row or field is a problem that names it; the rest is used.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from quipu.errors import InvalidInput
from quipu.limits import LARGEST_FILE, LONGEST_PASSAGE, SHOWN_VALUE
from quipu.read.fields import yaml_value
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.text import excerpt
from quipu.when.instants import parse_instant

__all__ = ["ReadValues", "ScriptRuns", "Tag", "fenced", "read_values"]

LEDGER = "value_ledger.json"
HEARTBEATS = "value_heartbeats.jsonl"
METADATA = "metadata.yaml"
_KNOWN = {
    "vq_class": ("HV/HQ", "HV/LQ", "MV/HQ", "LV/LQ"),
    "impact_tier": ("tier-1", "tier-2", "tier-3", "low"),
}
_OWN_FOLDER = ".goldenpath"
_FENCE = re.compile(r"([ \t]*(?:(?:#+|/{2,}|--|;+|%+|\*|'|REM)[ \t]*)?)---[ \t]*", re.IGNORECASE)
_Hours = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
_Script = Annotated[str, msgspec.Meta(pattern=r"\S")]
Shape = TypeVar("Shape")


class _Run(msgspec.Struct):
    script: _Script
    timestamp: str
    reclaimed_hours: _Hours


class _Beat(msgspec.Struct):
    script: _Script
    success: bool = True


class _Quantification(msgspec.Struct):
    potential_savings_hours: _Hours
    vq_class: str = ""
    impact_tier: str = ""


class _Ledger(msgspec.Struct):
    history: list[Any] = []
    total_reclaimed_hours: _Hours | None = None


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


class ReadValues(NamedTuple):
    """Everything found under a folder. `ledger` is the path of the ledger file, `total` what it
    states itself."""

    ledger: str
    total: float | None
    data: bytes
    runs: tuple[ScriptRuns, ...]
    problems: tuple[Problem, ...]

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The tags of the scripts, each once, by path."""
        return tuple(sorted({each.tag for each in self.runs if each.tag}))


def read_values(folder: Path, *, home: Path) -> ReadValues:
    """Return the values under `folder`, paths relative to `home`.

    Raises InvalidInput when there is no ledger that can be read.
    """
    own = folder / _OWN_FOLDER
    reader = _Reader(own if not (folder / LEDGER).exists() and own.exists() else folder, home)
    return reader.read()


class _Reader:
    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home
        self._problems: list[Problem] = []

    def read(self) -> ReadValues:
        path = self._folder / LEDGER
        data, shown = read_whole(path, max_bytes=LARGEST_FILE), self._shown(path)
        try:
            ledger = msgspec.json.decode(data, type=_Ledger)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidInput(
                f"{str(path)!r} is not JSON of a ledger ({error}): mend it; it has "
                "total_reclaimed_hours and history"
            ) from error
        rows: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for number, row in enumerate(ledger.history, 1):
            at = f"{shown}: history[{number}]"
            if run := self._fit(row, _Run, at):
                try:
                    told = parse_instant(run.timestamp), run.reclaimed_hours
                    rows[run.script.strip()].append(told)
                except InvalidInput as error:
                    self._problems.append(Problem(at, str(error)))
        beats = self._heartbeats(self._folder / HEARTBEATS)
        runs = tuple(
            ScriptRuns(
                script=script,
                runs=len(each),
                recorded_hours=round(math.fsum(hours for _, hours in each), 6),
                first=min(when for when, _ in each),
                last=max(when for when, _ in each),
                heartbeats=None if beats is None else beats[script],
                tag=self._tag(script),
            )
            for script, each in sorted(rows.items())
            if each
        )
        return ReadValues(shown, ledger.total_reclaimed_hours, data, runs, tuple(self._problems))

    def _shown(self, path: Path) -> str:
        path, home = path.resolve(), self._home.resolve()
        return (path.relative_to(home) if path.is_relative_to(home) else path).as_posix()

    def _fit(self, value: object, shape: type[Shape], at: str) -> Shape | None:
        """`value` in its shape; None with a problem where it does not fit."""
        try:
            return msgspec.convert(value, shape)
        except msgspec.ValidationError as error:
            said = excerpt(repr(value), limit=SHOWN_VALUE)
            self._problems.append(Problem(at, f"{said} cannot be used ({error}): mend it"))
            return None

    def _heartbeats(self, path: Path) -> Counter[str] | None:
        """Successful runs by script, or None without a file."""
        if not path.exists():
            return None
        beats: Counter[str] = Counter()
        lines = read_whole(path, max_bytes=LARGEST_FILE).decode("utf-8", "replace").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                beat = msgspec.json.decode(line, type=_Beat) if line.strip() else None
            except msgspec.DecodeError as error:
                at = f"{path.name}:{number}"
                self._problems.append(Problem(at, f"is no heartbeat ({error}): mend it"))
                continue
            if beat and beat.success:
                beats[beat.script.strip()] += 1
        return beats

    def _tag(self, script: str) -> Tag | None:
        """The script's own tag, else its folder's, else None. Of a script that is gone its folder
        may still tell; nothing outside the home and the ledger's folder is read."""
        inside = [each.resolve() for each in (self._home, self._folder)]
        try:
            places = [(root / script).resolve() for root in self._roots()]
            places = [file for file in places if any(map(file.is_relative_to, inside))]
            there = [file for file in places if file.is_file()]
        except (OSError, ValueError):  # no file can be called so
            return None
        for file in there[:1] or places:
            for each in (file, file.parent / METADATA):
                fields = self._front_matter(each)
                if "value_quantification" in fields:
                    return self._checked(fields["value_quantification"], self._shown(each))
        return None

    def _roots(self) -> Iterator[Path]:
        """What the names in a ledger may be relative to, nearest first."""
        folder = self._folder
        project = folder.parent if folder.name == _OWN_FOLDER else folder
        for root in dict.fromkeys((folder, project, self._home)):
            yield from (root, root / "scripts")

    def _front_matter(self, path: Path) -> dict[str, Any]:
        try:
            with path.open("rb") as stream:
                text = stream.read(LONGEST_PASSAGE).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:
            return {}
        found = text if path.name == METADATA else fenced(text)
        try:
            return msgspec.convert(yaml_value(found or ""), dict[str, Any])
        except msgspec.ValidationError:
            return {}
        except InvalidInput as error:
            if "value_quantification" in (found or ""):
                message = f"its front matter {error}"
                self._problems.append(Problem(self._shown(path), message, "warning"))
            return {}

    def _checked(self, quantification: object, path: str) -> Tag | None:
        """The tag when its hours can be used; other bad fields are left blank and told."""
        fields = self._fit(quantification, _Quantification, path)
        if fields is None:
            return None
        kept: list[str] = []
        for name, known in _KNOWN.items():
            written = getattr(fields, name)
            value = re.sub(r"^[^A-Za-z]+", "", written).strip()
            if value not in known:
                message = f"{name} {written!r} is unknown: use one of {', '.join(known)}"
                self._problems.append(Problem(path, message, "warning"))
            kept.append(value if value in known else "")
        return Tag(path, kept[0], kept[1], fields.potential_savings_hours)


def fenced(text: str) -> str | None:
    """Return what stands between the first two lines `---` with the same comment mark (or none)
    before them, without those marks; None without such lines."""
    lines = text.split("\n")
    for start, line in enumerate(lines):
        opening = _FENCE.fullmatch(line)
        if opening is None:
            continue
        mark = opening[1]
        body: list[str] = []
        for below in lines[start + 1 :]:
            if below.strip() and not below.startswith(mark.rstrip()):
                break
            bare = below.removeprefix(mark if below.startswith(mark) else mark.rstrip())
            if bare.rstrip() == "---":
                return "\n".join(body)
            body.append(bare)
    return None
