"""A repository that somebody else made: whatever its configuration names, nothing of it runs."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Trap = Callable[[Path, Path], None]


def git(folder: Path, *arguments: str, **environ: str) -> str:
    name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "core.fsmonitor=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *name, "-c", "protocol.file.allow=always", *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
    )
    return done.stdout


def _keys(*keys: str) -> Trap:
    """A configuration whose `keys` all name the program."""

    def plant(folder: Path, program: Path) -> None:
        for key in keys:
            git(folder, "config", key, str(program))

    return plant


def _signatures(folder: Path, program: Path) -> None:
    tree = git(folder, "rev-parse", "HEAD^{tree}").strip()
    commit = (
        f"tree {tree}\nparent {git(folder, 'rev-parse', 'HEAD~1').strip()}\n"
        "author Ann <ann@example.org> 1770000100 +0000\n"
        "committer Ann <ann@example.org> 1770000100 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\nSigned\n"
    )
    (folder.parent / "commit").write_text(commit)
    sha = git(folder, "hash-object", "-t", "commit", "-w", str(folder.parent / "commit")).strip()
    git(folder, "update-ref", "HEAD", sha)
    git(folder, "config", "gpg.program", str(program))
    git(folder, "config", "log.showSignature", "true")


def _partial_clone(folder: Path, program: Path) -> None:
    tree = git(folder, "rev-parse", "HEAD:docs").strip()
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for key, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{program}"),
        ("remote.origin.uploadpack", str(program)),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ):
        git(folder, "config", key, value)


def _local_partial_clone(folder: Path, program: Path) -> None:
    _partial_clone(folder, program)
    git(folder, "config", "remote.origin.url", str(folder.parent))


def _hooks(folder: Path, program: Path) -> None:
    hooks = folder / "hooks"
    hooks.mkdir()
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "post-checkout",
        "reference-transaction",
    ):
        (hooks / name).symlink_to(program)
        (folder / ".git" / "hooks").mkdir(exist_ok=True)
        (folder / ".git" / "hooks" / name).symlink_to(program)
    git(folder, "config", "core.hooksPath", str(hooks))


def _filters(folder: Path, program: Path) -> None:
    (folder / ".gitattributes").write_text("* filter=trap diff=trap merge=trap\n")
    _keys(
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "diff.trap.textconv",
        "diff.trap.command",
        "merge.trap.driver",
    )(folder, program)
    git(folder, "config", "filter.trap.required", "true")


def _include(folder: Path, program: Path) -> None:
    text = f'[core]\nfsmonitor = "{program}"\n[diff]\nexternal = "{program}"\n'
    (folder / "shared.cfg").write_text(text)
    git(folder, "config", "include.path", "../shared.cfg")
    git(folder, "config", "includeIf.onbranch:**.path", "../shared.cfg")


def _submodule(folder: Path, program: Path) -> None:
    (folder / ".gitmodules").write_text(
        '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n\tignore = none\n'
    )
    git(folder, "init", "-q", "sub")
    git(folder / "sub", "commit", "-q", "--allow-empty", "-m", "inner")
    git(folder, "add", ".gitmodules", "sub")
    git(folder, "commit", "-q", "-m", "A submodule")
    git(folder / "sub", "config", "core.fsmonitor", str(program))
    (folder / "sub" / "new.txt").write_text("new\n")


def _worktree_config(folder: Path, program: Path) -> None:
    git(folder, "config", "core.repositoryformatversion", "1")
    git(folder, "config", "extensions.worktreeConfig", "true")
    (folder / ".git" / "config.worktree").write_text(f'[core]\nfsmonitor = "{program}"\n')


PROGRAMS = """
    core.pager core.editor core.sshCommand core.askPass core.gitProxy
    core.alternateRefsCommand diff.external pager.log pager.diff pager.config
    gpg.openpgp.program gpg.ssh.program credential.helper sequence.editor alias.log
    alias.rev-parse uploadpack.packObjectsHook remote.origin.vcs
""".split()
TRAPS: dict[str, Trap] = {
    "signatures": _signatures,
    "partial-clone": _partial_clone,
    "local-partial-clone": _local_partial_clone,
    "fsmonitor": _keys("core.fsmonitor"),
    "hooks": _hooks,
    "filters": _filters,
    "include": _include,
    "submodule": _submodule,
    "worktree-config": _worktree_config,
    "programs": _keys(*PROGRAMS),
}


@pytest.fixture
def repository(tmp_path: Path, make_repository: Any, made: Any) -> Path:
    folder = tmp_path / "theirs"
    make_repository(
        folder,
        [
            made("One", {"docs/a.md": "# A\n\nThe numbat eats termites.\n"}),
            made("Two", {"docs/b.md": "# B\n\nThe wombat digs.\n"}),
        ],
    )
    return folder


@pytest.mark.parametrize("trap", TRAPS)
def test_no_command_runs_what_a_repository_names(
    quipu: Any, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{tmp_path / 'sprung'}'\nexit 1\n")
    program.chmod(0o755)
    TRAPS[trap](repository, program)
    (repository / "docs" / "a.md").write_text("# A\n\nThe numbat sleeps at night.\n")
    os.utime(repository / "docs" / "b.md")
    monkeypatch.chdir(repository)
    assert quipu("init").code == 0
    assert quipu("index", ".").code == 0
    for words in (
        ("index", "docs"),
        ("index", "--git", "."),
        ("status",),
        ("doctor",),
        ("validate",),
        ("search", "numbat", "--touching", "docs/a.md"),
    ):
        quipu(*words)
    assert not (tmp_path / "sprung").exists()
    assert "sleeps at night" in quipu("search", "numbat").out


def test_a_file_in_the_folder_is_not_taken_for_git(
    quipu: Any, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "git").write_text(f"#!/bin/sh\ntouch '{tmp_path / 'sprung'}'\n")
    (repository / "git").chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    quipu("init")
    assert quipu("index", "--git", ".").code == 0
    assert not (tmp_path / "sprung").exists()


def test_variables_do_not_lead_git_elsewhere(
    quipu: Any,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make_repository: Any,
    made: Any,
) -> None:
    other = tmp_path / "other"
    make_repository(other, [made("A private commit", {"secret.md": "x"})])
    monkeypatch.chdir(repository)
    quipu("init")
    for name, value in (
        ("GIT_DIR", str(other / ".git")),
        ("GIT_WORK_TREE", str(other)),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", f"touch '{tmp_path / 'sprung'}'"),
        ("GIT_EXTERNAL_DIFF", f"touch '{tmp_path / 'sprung'}'"),
        ("GIT_TRACE", str(tmp_path / "sprung")),
    ):
        monkeypatch.setenv(name, value)
    assert quipu("index", "--git", ".", "--json").document["added"] == 2
    assert quipu("index", "--json").document["errors"] == []
    assert not (tmp_path / "sprung").exists()


def _leading_file(folder: Path, other: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {other / '.git'}\n")


def _leading_link(folder: Path, other: Path) -> None:
    (folder / ".git").symlink_to(other / ".git")


def _leading_parts(folder: Path, other: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (folder / ".git" / name).symlink_to(other / ".git" / name)


def _leading_commondir(folder: Path, other: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "commondir").write_text(f"{other / '.git'}\n")


@pytest.mark.parametrize("lead", [_leading_file, _leading_link, _leading_parts, _leading_commondir])
def test_a_repository_that_is_another_one_in_disguise_is_refused(
    quipu: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make_repository: Any,
    made: Any,
    lead: Callable[[Path, Path], None],
) -> None:
    other, folder = tmp_path / "other", tmp_path / "theirs"
    make_repository(other, [made("A private commit", {"secret.md": "x"})])
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nThe numbat.\n")
    lead(folder, other)
    monkeypatch.chdir(folder)
    quipu("init")
    assert quipu("index", "--json").document["added"] == ["a.md"]
    outcome = quipu("index", "--git", ".")
    assert outcome.code == 2
    assert "git" in outcome.err
    assert quipu("search", "--json", "private commit").document["hits"] == []


def test_work_trees_submodules_and_other_hashes_are_read(
    quipu: Any, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "worktree", "add", "-q", "../linked")
    git(repository, "submodule", "--quiet", "add", repository.as_uri(), "inner")
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    git(tmp_path / "long", "commit", "-q", "--allow-empty", "-m", "Long")
    for folder, commits in (
        (tmp_path / "linked" / "docs", 2),
        (repository / "inner", 2),
        (tmp_path / "long", 1),
        (repository / ".git", 2),
    ):
        words = ("--store", str(tmp_path / "one.db"), "--json")
        monkeypatch.chdir(tmp_path)
        read = quipu("index", "--git", str(folder), "--namespace", folder.name, *words)
        assert read.document["added"] == commits, folder


@pytest.mark.parametrize("part", ["HEAD", "index", "packed-refs", "shallow", "commondir"])
def test_a_pipe_in_a_repository_is_not_waited_for(
    quipu: Any, repository: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.chdir(repository)
    quipu("init")
    (repository / ".git" / part).unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / part)
    assert quipu("index", "--json").document["errors"] == []
    assert quipu("index", "--git", ".").code in {0, 2}
