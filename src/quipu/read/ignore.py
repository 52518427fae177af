"""Which files are left out: `.gitignore` and `.quipuignore` at every level, and a short list of
what is never worth reading, folders whose names begin with a dot among them (but those that hold
what people write, or credentials, which are told). A `!pattern` in either file brings something of
that list back."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from quipu.read.decode import normalised
from quipu.read.globs import Globs

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
