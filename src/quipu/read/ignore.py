"""Which files are left out: `.gitignore` and `.quipuignore` at every level, and a short list of
what is never worth reading, folders whose names begin with a dot among them (but those that hold
what people write, or credentials, which are told). A `!pattern` in either file brings something of
that list back.

The rules are git's (gitignore(5)): the last pattern that matches decides, `!` takes back, a slash
within binds to the folder of the file, one at the end means folders, `**` stands for any number of
them. Each path is asked for by itself, from the top down: what lies in a folder that is left out is
never asked for. A path is matched in time that grows with it alone: a star takes as little as it
can and what follows it is never tried again further on; nothing is lost, for a later star takes
whatever is left. So no pattern takes time with a power of a name.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from quipu.read.decode import normalised

_LARGEST_RULES = 1_000_000
_NEVER = frozenset({".git", ".hg", ".svn", ".quipu"})
_DEFAULTS = """
.*/
!.github/
!.gitlab/
!.circleci/
!.devcontainer/
!.vscode/
!.storybook/
!.changeset/
!.well-known/
!.claude/
!.cursor/
!.codex/
!.agents/
!.gemini/
!.windsurf/
!.aider/
!.continue/
!.memory/
!.config/
!.ssh/
!.aws/
!.azure/
!.docker/
!.gnupg/
!.kube/
logseq/bak/
quipu.toml
**/.local/state/quipu/
.venv/
node_modules/
bower_components/
__pycache__/
.tox/
.nox/
.cache/
.*_cache/
.hypothesis/
.eggs/
*.egg-info/
.gradle/
.terraform/
.DS_Store
*.pyc
*.pyo
*.pyd
*.so
*.so.*
*.dylib
*.dll
*.exe
*.o
*.a
*.obj
*.lib
*.class
*.jar
*.war
*.wasm
*.node
*.bin
*.dat
*.pkl
*.npy
*.npz
*.parquet
*.onnx
*.pt
*.safetensors
*.gguf
*.db
*.db-wal
*.db-shm
*.sqlite
*.sqlite3
*.zip
*.tar
*.gz
*.tgz
*.bz2
*.xz
*.zst
*.7z
*.rar
*.whl
*.png
*.jpg
*.jpeg
*.gif
*.bmp
*.ico
*.icns
*.webp
*.tif
*.tiff
*.avif
*.svg
*.mp3
*.mp4
*.m4a
*.mov
*.avi
*.mkv
*.webm
*.wav
*.ogg
*.flac
*.ttf
*.otf
*.woff
*.woff2
*.eot
*.mo
*.min.js
*.min.css
*.map
*.lock
package-lock.json
*.dist-info/RECORD
npm-shrinkwrap.json
pnpm-lock.yaml
go.sum
""".split()

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_TOKEN = re.compile(
    r"(?P<stars>\*+)|(?P<any>\?)|(?P<set>\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\])"
    r"|\\(?P<escaped>.)|(?P<plain>[^\\\[])",
    re.DOTALL,
)
_MEMBER = re.compile(r"\[:(?P<named>\w+):\]|\\(?P<escaped>.)|(?P<plain>.)", re.DOTALL)
_ABOVE = "(?:[^/]+/)"
_NOTHING = "(?!)"


class Globs:
    """The patterns of one file, or of several one after another."""

    def __init__(self, lines: Iterable[str]) -> None:
        """A line that is no pattern is passed over, as git does."""
        runs: list[_Run] = []
        for line in lines:
            read = _pattern(line)
            if read is None:
                continue
            ignored, is_name, written = read
            if not runs or runs[-1].ignored != ignored:
                runs.append(_Run(ignored, [_NOTHING], [_NOTHING]))
            (runs[-1].names if is_name else runs[-1].paths).append(written)
        self._runs = [
            (run.ignored, _any_of(run.names), _any_of(run.paths)) for run in reversed(runs)
        ]

    def verdict(self, path: str) -> bool | None:
        """Whether `path` (with slashes, one at the end of a folder's) is left out; None when no
        pattern speaks of it."""
        name = path[path.rfind("/", 0, -1) + 1 :]
        for ignored, names, paths in self._runs:
            if names.fullmatch(name) or paths.fullmatch(path):
                return ignored
        return None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Rules in force in a folder: (folder, its patterns), outermost first.

    Paths are relative to the top: the git work tree, or the root where there is none.
    """

    layers: tuple[tuple[str, Globs], ...]

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether `path` (relative, slashes) is left out; the innermost file that knows decides."""
        shown = f"{path}/" if folder else path
        for base, globs in reversed(self.layers):
            relative = shown[len(base) + 1 :] if base else shown
            verdict = globs.verdict(relative)
            if verdict is not None:
                return verdict
        return False

    def within(self, folder: Path, base: str) -> "IgnoreRules":
        """The rules in force inside `folder`, whose path from the top is `base`."""
        globs = _read_rules(folder)
        return self if globs is None else IgnoreRules((*self.layers, (base, globs)))


def is_never_read(name: str) -> bool:
    """Whether a folder of this name is skipped whatever any file says."""
    return name in _NEVER


def is_virtual_environment(folder: Path) -> bool:
    """Whether `folder` is a Python environment."""
    return os.path.exists(folder / "pyvenv.cfg")  # noqa: PTH110 - which raises for long paths


def rules_above(root: Path, work_tree: Path | None) -> tuple[IgnoreRules, str | None]:
    """The rules in force at `root`: the defaults, then those of the git work tree it lies in.

    Also the prefix that makes a path below `root` one below the work tree, which is what the
    rules speak of; None when no work tree counts, because there is none or because its own
    rules leave `root` out: naming a folder means wanting it.
    """
    defaults = IgnoreRules((("", _defaults()),))
    if work_tree is None:
        return defaults, None
    rules = defaults
    exclude = _lines(work_tree / ".git" / "info" / "exclude")
    if exclude:
        rules = IgnoreRules((*rules.layers, ("", Globs(exclude))))
    folder, base = work_tree, ""
    for part in root.relative_to(work_tree).parts:
        rules = rules.within(folder, base)
        folder, base = folder / part, f"{base}/{part}".lstrip("/")
        if rules.ignores(base, folder=True):
            return defaults, None
    return rules, base


@cache
def _defaults() -> Globs:
    return Globs(_DEFAULTS)


def _read_rules(folder: Path) -> Globs | None:
    lines = [*_lines(folder / ".gitignore"), *_lines(folder / ".quipuignore")]
    return Globs(lines) if lines else None


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file():  # a pipe would be waited for
            return []
        with path.open("rb") as stream:
            text = stream.read(_LARGEST_RULES).decode("utf-8-sig", "replace")
    except OSError:
        return []
    return normalised(text).split("\n")


class _Run(NamedTuple):
    """Patterns, one after another, that all leave out or all take back."""

    ignored: bool
    names: list[str]
    paths: list[str]


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.DOTALL)


def _pattern(line: str) -> tuple[bool, bool, str] | None:
    """Whether a pattern leaves out, whether it is of a name alone, and what it matches as a
    whole; None for no pattern."""
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    ignored = not text.startswith("!")
    text = text if ignored else text[1:]
    folder = "/" if text.endswith("/") else "/?"
    text = text.removesuffix("/")
    if not text or line.startswith("#"):
        return None
    parts = text.removeprefix("/").split("/")
    if any(not part or _part(part) is None for part in parts):
        return None
    if "/" not in text:
        return ignored, True, f"{_part(text)}{folder}"
    return ignored, False, f"{_whole(parts)}{folder}"


def _whole(parts: Sequence[str]) -> str:
    """The parts of a path in order. What stands between two `**` is matched where it first can
    be, and never again."""
    pieces: list[list[str]] = [[]]
    for part in parts:
        if len(part) > 1 and not part.strip("*"):
            pieces.append([])
        else:
            pieces[-1].append(_part(part) or "")
    first, *rest = ["/".join(piece) for piece in pieces]
    if not rest:
        return first
    written = f"{first}/" if first else ""
    written += "".join(f"(?>{_ABOVE}*?{piece}/)" for piece in rest[:-1] if piece)
    return f"{written}{_ABOVE}*{rest[-1]}" if rest[-1] else f"{written}.+"


def _part(part: str) -> str | None:
    """One part of a path; None for what cannot be read."""
    pieces = [""]
    at = 0
    while at < len(part):
        token = _TOKEN.match(part, at)
        if token is None:
            return None
        if token["stars"]:
            pieces.append("")
        else:
            pieces[-1] += _written(token)
        at = token.end()
    first, *rest = pieces
    if not rest:
        return first
    middle = "".join(f"(?>[^/]*?{piece})" for piece in rest[:-1] if piece)
    return f"{first}{middle}[^/]*{rest[-1]}"


def _written(token: re.Match[str]) -> str:
    if token["any"]:
        return "[^/]"
    if token["set"]:
        return _set(token["set"][1:-1])
    return re.escape(token["escaped"] or token["plain"])


def _set(inside: str) -> str:
    """One character of a set, or of none of it; never a slash."""
    negated = inside[:1] in {"!", "^"}
    members = list(_MEMBER.finditer(inside[1:] if negated else inside))
    written: list[str] = []
    at = 0
    while at < len(members):
        member = members[at]
        at += 1
        if member["named"]:
            written.append(_CLASSES.get(member["named"], ""))
            continue
        low = high = _character(member)
        if at + 1 < len(members) and members[at]["plain"] == "-" and not members[at + 1]["named"]:
            high = _character(members[at + 1])
            at += 2
        if low > high:  # git takes the first for itself
            high = low
        written.append(f"{re.escape(low)}-{re.escape(high)}")
    if negated:
        return f"[^/{''.join(written)}]"
    return f"(?!/)[{''.join(written)}]" if any(written) else _NOTHING


def _character(member: re.Match[str]) -> str:
    return member["escaped"] or member["plain"]
