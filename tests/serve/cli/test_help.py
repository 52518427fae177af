"""The help costs nothing, shows the way, and is the same as the documentation."""

import subprocess
import sys

import click
import pytest
from tools.cli_reference import commands

from quipu.serve.cli import cli

HEAVY = ("numpy", "onnxruntime", "msgspec", "apsw", "rich", "tokenizers", "Stemmer")
LIGHT = (
    "errors",
    "files",
    "files.standard",
    "kind",
    "patterns",
    "plugins",
    "telemetry",
    "version",
)
COMMANDS = dict(commands())


@pytest.mark.parametrize("words", [["--help"], [], ["--version"], ["serch"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    probe = (
        "import sys, contextlib\n"
        "from quipu.serve.cli import cli\n"
        "with contextlib.suppress(SystemExit):\n"
        f"    cli.main({words!r})\n"
        f"found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "found += [name for name in sys.modules if name.startswith('quipu.')\n"
        "          and not name.startswith('quipu.serve')\n"
        f"          and name.removeprefix('quipu.') not in {LIGHT!r}]\n"
        "print(found, file=sys.__stderr__)\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_search_imports_nothing_of_reading_files() -> None:
    probe = (
        "import sys, quipu.serve.operations.asking, quipu.plan, quipu.retrieve\n"
        "dear = ('pathspec', 'markdown_it', 'quipu.read', 'quipu.extract')\n"
        "print([name for name in dear if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_by_text_options_and_an_example(name: str) -> None:
    command = COMMANDS[name]
    examples = getattr(command, "examples", ())
    assert command.help
    assert examples
    assert all(name in example for example in examples)
    options = [each for each in command.params if isinstance(each, click.Option)]
    assert [each.name for each in options if not each.help] == []
    given = {option for each in command.params for option in each.opts}
    assert {"--store", "--namespace", "--config", "--json", "-v", "-q"} <= given


def test_an_example_is_a_line_the_command_line_understands() -> None:
    import shlex

    for name, command in COMMANDS.items():
        for example in getattr(command, "examples", ()):
            line = example.split("|")[-1].split("<")[0]
            words = shlex.split(line)[1:]
            context = click.Context(cli, info_name="quipu")
            found: click.Command = cli
            while isinstance(found, click.Group) and words:
                found = found.get_command(context, words.pop(0)) or cli
            assert found is command or name == "quipu" or isinstance(command, click.Group), example
            if "goldens.yaml" in example or "sets/" in example or "memory.jsonl" in example:
                continue  # names files that are not here
            if "--file" not in example:
                found.make_context("quipu", words)


def test_shell_completion_knows_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "quipu.serve.cli"],
        env={"_QUIPU_COMPLETE": "bash_complete", "COMP_WORDS": "quipu statu", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["plain,status"]
