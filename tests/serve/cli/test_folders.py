"""`init`, `index` and `watch`: from an empty folder to a memory, whatever lies in it."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from quipu.config import Config, load
from quipu.serve.cli.folders import settings_file


def test_init_makes_a_memory_and_says_the_next_command(quipu, tmp_path: Path) -> None:
    outcome = quipu("init")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1] == "Next: quipu index ."
    assert (tmp_path / ".quipu" / "quipu.db").is_file()
    assert "*" in (tmp_path / ".quipu" / ".gitignore").read_text().splitlines()
    assert (tmp_path / "quipu.toml").is_file()


def test_init_makes_the_store_that_the_settings_name(quipu, tmp_path: Path) -> None:
    (tmp_path / "quipu.toml").write_text('[store]\nurl = "kept.db"\n')
    assert quipu("trust", "--yes").code == 0
    made = quipu("init", "--json").document
    assert made["store"].endswith("kept.db")
    assert (tmp_path / "kept.db").is_file()
    assert not (tmp_path / ".quipu" / "quipu.db").exists()
    assert quipu("status", "--json").code == 0


def test_the_settings_file_sets_nothing_and_each_line_of_it_works(tmp_path: Path) -> None:
    file = tmp_path / "quipu.toml"
    file.write_text(settings_file())
    assert load(file, environ={}) == Config()
    lines = [
        line.removeprefix("# ")
        for line in settings_file().splitlines()
        if (not line.startswith("##") and not line.endswith("# unset") and " = " in line)
        or line.startswith("[")
    ]
    assert len(lines) > 15
    file.write_text("\n".join(lines))
    assert tomllib.loads(file.read_text())
    assert load(file, environ={}) == Config()


def test_index_says_what_it_did_and_again_that_nothing_changed(quipu, project: Path) -> None:
    again = quipu("index", ".")
    assert " unchanged  in " in again.out.splitlines()[0]
    held = quipu("index", "--json").document["unchanged"]
    (project / "docs" / "ledger.md").unlink()
    (project / "docs" / "new.md").write_text("# New\n\nSomething new.\n")
    report = quipu("index", "--json").document
    assert report["removed"] == ["docs/ledger.md"]
    assert report["added"] == ["docs/new.md"]
    assert report["unchanged"] == held - 1


def test_bad_files_are_rows_and_the_run_is_well(quipu, project: Path) -> None:
    (project / "image.bin").write_bytes(b"\x00\x01\x02" * 100)
    (project / "new\nline.md").write_text("# Odd\n\nA file with a strange name: wombat.\n")
    (project / "empty.md").write_bytes(b"")
    (project / "half.json").write_text('{"a": [1, 2')
    outcome = quipu("index", "--json", ".")
    assert outcome.code == 0
    assert all("\n" not in row["path"] for row in outcome.document["errors"])
    rows = json.loads((project / ".quipu" / "index_errors.json").read_text())
    assert rows["error_count"] == len(outcome.document["errors"]) == len(rows["errors"])
    shown = quipu("search", "wombat")
    assert "new\\nline.md:" in shown.out


def test_secrets_are_counted_in_the_report(quipu, project: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cD1fG3hJ5"  # not a real one
    (project / "deploy.md").write_text(f"# Deploy\n\nUse the token {token} to deploy.\n")
    outcome = quipu("index", ".")
    assert "Redacted: " in outcome.out
    assert token not in quipu("search", "--json", "deploy token").out


def test_a_terminal_sees_progress_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from quipu.serve.cli.rendered import progress

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress(quiet=False) as shown:
        assert shown is not None
        shown("read \x1b[31m", 3, 1200)
    captured = capsys.readouterr()
    assert "3 of 1,200" in captured.err
    assert "\\x1b[31m" in captured.err
    assert captured.out == ""
    with progress(quiet=True) as nothing:
        assert nothing is None


@pytest.mark.parametrize("url", ["~/kept/notes.db", "sqlite:///~/kept/notes.db"])
def test_a_store_at_home_is_one_store_wherever_one_stands(
    quipu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "kept").mkdir(parents=True)
    assert quipu("add", "--store", url, "The numbat is striped.").code == 0
    assert (tmp_path / "home" / "kept" / "notes.db").is_file()
    assert not (tmp_path / "~").exists()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert quipu("search", "--json", "--store", url, "numbat").document["hits"]
