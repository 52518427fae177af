"""The one place that starts git, upon a repository that somebody else may have made.

A repository's configuration can name programs (signature checkers, file-system monitors, filters,
hooks, remote helpers), other files and other work trees. None of it is read: git is given a
folder of its own with a configuration of ours, in which the repository's objects, references and
index are only linked. What is linked must lie in the repository itself, and a `.git` file that
leads elsewhere counts only where that place leads back. No variable that could point git
elsewhere is passed on, nothing is fetched, and nobody is asked anything.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from quipu.errors import InvalidInput, MissingExtra
from quipu.files.repository import OWN, SHARED, Located, find_repository, small

__all__ = ["Git", "opened_git"]

_TIMEOUT_S = 120
_CONFIG = """\
[core]
	repositoryformatversion = 1
	bare = {bare}
	quotePath = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = {nowhere}
	attributesFile = {nowhere}
	pager = cat
	editor = false
	sshCommand = false
	askPass = false
[protocol]
	allow = never
[log]
	showSignature = false
	showRoot = true
[i18n]
	logOutputEncoding = UTF-8
[submodule]
	recurse = false
[gc]
	auto = 0
[maintenance]
	auto = false
"""
# What says how the files and objects are laid out, and nothing else; the values are words.
_LAYOUT = re.compile(
    r"(core\.(?:filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol)"
    r"|extensions\.(?:objectformat|refstorage))\n([a-z0-9]{1,10})"
)
# Where a user's own configuration is, which is theirs as their shell's is.
_OF_USER = (
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)
_ASK_EXCLUDES = ("--git-dir=.", "config", "--type=path", "--get", "core.excludesFile")
_INHERITED = re.compile(r"(?!GIT_)(?!(?:SSH_ASKPASS|PAGER|LESS|LV|EDITOR|VISUAL|BROWSER)\Z)")


class Git:
    """git in one folder of a repository, for as long as `opened_git` keeps it."""

    def __init__(self, folder: Path, located: Located, scratch: Path, program: str) -> None:
        self.folder = folder
        self.located = located
        self._program = program
        self._environment = _environment(located, scratch)

    @property
    def top(self) -> Path | None:
        """The work tree; None when the repository is bare."""
        return self.located.top

    def run(self, *arguments: str, timeout_s: float = _TIMEOUT_S) -> str:
        """What git prints, undecodable bytes as surrogates. Raises InvalidInput with what git
        complains of, or when it takes longer than `timeout_s`."""
        try:
            done = subprocess.run(  # noqa: S603 - git alone, no shell
                self._command(arguments),
                capture_output=True,
                timeout=timeout_s,
                check=False,
                stdin=subprocess.DEVNULL,
                env=self._environment,
            )
        except subprocess.TimeoutExpired:
            raise InvalidInput(
                f"git took more than {timeout_s:g} s to answer in {str(self.folder)!r}: try "
                "`git gc` there"
            ) from None
        if done.returncode:
            raise InvalidInput(_complaint(done.stderr))
        return os.fsdecode(done.stdout)

    @contextmanager
    def stream(self, *arguments: str, given: bytes = b"") -> Generator[IO[bytes]]:
        """What git prints, as it prints it; `given` is its standard input. A reader that leaves
        early ends git. Raises InvalidInput at the end when git failed."""
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as complaints:
            asked.write(given)
            asked.seek(0)
            process = subprocess.Popen(  # noqa: S603 - git alone, no shell
                self._command(arguments),
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env=self._environment,
            )
            assert process.stdout is not None
            with process.stdout as out:
                try:
                    yield out
                    is_read = not out.read(1)
                except BaseException:
                    process.kill()
                    process.wait()
                    raise
            if not is_read:
                process.kill()
            if process.wait() and is_read:
                complaints.seek(0)
                raise InvalidInput(_complaint(complaints.read()))

    def excludes_of_user(self) -> Path | None:
        """The file of what the user of this machine never wants listed (`core.excludesFile` of
        their own configuration, not of the repository's), or None."""
        home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        theirs = {name: os.environ[name] for name in _OF_USER if name in os.environ}
        done = subprocess.run(  # noqa: S603 - git alone, no shell
            [self._program, "-C", self._environment["HOME"], *_ASK_EXCLUDES],
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": self._environment["PATH"], "LC_ALL": "C", **theirs},
        )
        named = os.fsdecode(done.stdout).rstrip("\n")
        file = Path(named) if named else Path(home) / "git" / "ignore"
        return file if file.is_file() else None

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        return [self._program, "-C", str(self.folder), "--no-pager", *arguments]


@contextmanager
def opened_git(folder: Path) -> Generator[Git]:
    """Git in `folder`, upon the repository that it lies in.

    Raises InvalidInput when it is in none, or in one whose parts lie elsewhere, MissingExtra when
    there is no git.
    """
    path = os.pathsep.join(_search_path())
    program = shutil.which("git", path=path)
    if program is None:
        raise MissingExtra(
            "there is no `git` on the PATH: install git to read a repository's history"
        )
    located = find_repository(folder)
    with tempfile.TemporaryDirectory(prefix="quipu-git-", ignore_cleanup_errors=True) as made:
        scratch = Path(made)
        _furnish(scratch, located)
        git = Git(folder, located, scratch, program)
        _lay_out(git, scratch)
        yield git


def _furnish(scratch: Path, located: Located) -> None:
    """A folder that is to git what `.git` is, without any configuration but ours."""
    bare = "true" if located.top is None else "false"
    text = _CONFIG.format(bare=bare, nowhere=os.devnull)
    (scratch / "config").write_text(text, "utf-8")
    (scratch / "HEAD").write_text(small(located.own / "HEAD"), "utf-8", "surrogateescape")
    for folder, names in ((located.shared, SHARED), (located.own, OWN)):
        for name in names:
            if (folder / name).exists():
                (scratch / name).symlink_to(folder / name)
    for index in located.own.glob("sharedindex.*"):
        if not index.is_symlink():
            (scratch / index.name).symlink_to(index)
    ignored = located.shared / "info" / "exclude"
    if ignored.is_file() and not ignored.is_symlink() and not ignored.parent.is_symlink():
        (scratch / "info").mkdir()
        (scratch / "info" / "exclude").symlink_to(ignored)


def _lay_out(git: Git, scratch: Path) -> None:
    """Take over how the repository's files and objects are laid out, from its own words."""
    theirs = git.located.shared / "config"
    if not theirs.is_file():
        return
    try:
        listed = git.run("config", "--file", str(theirs), "--no-includes", "--null", "--list")
    except InvalidInput:  # of no use to git either
        return
    found = {m[1]: m[2] for each in listed.split("\0") if (m := _LAYOUT.fullmatch(each))}
    with (scratch / "config").open("a", encoding="utf-8") as config:
        for key, value in found.items():
            section, _, name = key.partition(".")
            config.write(f"[{section}]\n\t{name} = {value}\n")


def _search_path() -> Iterator[str]:
    """Where programs are looked for: never in a folder that depends on where we are."""
    for place in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(place):  # noqa: PTH117 - a text that need not be a path
            yield place


def _environment(located: Located, scratch: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _INHERITED.match(name)}
    top = {} if located.top is None else {"GIT_WORK_TREE": str(located.top)}
    return {
        **kept,
        **top,
        "PATH": os.pathsep.join(_search_path()),
        "HOME": str(scratch),
        "XDG_CONFIG_HOME": str(scratch),
        "GIT_DIR": str(scratch),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",
    }


def _complaint(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "git gave no reason"
