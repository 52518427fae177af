"""The page on things that are one shows what the commands print."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from quipu.serve.cli import cli

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "entities.md").read_text("utf-8")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _same(text: str) -> str:
    return _DATE.sub("DATE", text)


def test_the_example_is_what_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "none")
    files = re.findall(r"```markdown file=(\S+)\n(.*?)```", PAGE, re.DOTALL)
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    runner = CliRunner()
    for words in ("init", "index ."):
        assert runner.invoke(cli, words.split()).exit_code == 0
    shown = 0
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for step in block.split("$ quipu ")[1:]:
            line, _, expected = step.partition("\n")
            result = runner.invoke(cli, shlex.split(line))
            printed = result.output.replace(
                "note: Without an embedding model only same letters are compared.\n", ""
            )
            assert _same(printed) == _same(expected), line
            shown += 1
    assert (len(files), shown) == (2, 3)
