"""What the command line says of secrets: which files it left out, and never the secret."""

from pathlib import Path

from tests.serve.cli.conftest import Quipu

TOKEN = "ghp_" + "a1B2" * 9


def test_index_names_the_credential_files_it_left_out(quipu: Quipu, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    (tmp_path / ".npmrc").write_text("colour=teal\n", encoding="utf-8")
    quipu("init")
    said = quipu("index", ".").out
    assert "Left out, as they hold credentials" in said
    assert ".npmrc: credentials for package registries" in said
    assert "[index] credentials" in said


def test_an_error_does_not_show_the_secret_that_was_given(quipu: Quipu, tmp_path: Path) -> None:
    quipu("init")
    for words in (("--namespace", TOKEN, "status"), ("show", TOKEN), ("forget", "--yes", TOKEN)):
        done = quipu(*words)
        assert done.code != 0, words
        assert TOKEN not in done.out + done.err, words


def test_a_mistake_in_the_words_of_a_command_does_not_show_the_secret(quipu: Quipu) -> None:
    quipu("init")
    for words in (
        (TOKEN,),
        ("search", f"--{TOKEN}"),
        ("golden", "run", TOKEN),
        ("--config", TOKEN, "status"),
        ("search", "x", "--limit", TOKEN),
    ):
        for flags in ((), ("--json",)):
            done = quipu(*flags, *words)
            assert done.code == 2, words
            assert TOKEN not in done.out + done.err, words
