"""The command line over a store on a server: the same commands, and never its password."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.rows import rows
from tests.serve.cli.conftest import Quipu
from tests.servers.postgres_server import PostgresServer

SECRET = "s3cret-Password"


@pytest.fixture
def login(postgres_server: PostgresServer, postgres_address: Callable[[str], str]) -> str:
    """The address of an empty deployment, with a password in it."""
    database = postgres_address("store").partition("///")[2].partition("?")[0]
    postgres_server.execute(
        "DO $$ BEGIN CREATE ROLE clerk SUPERUSER LOGIN; EXCEPTION WHEN duplicate_object THEN NULL;"
        f" END $$; ALTER ROLE clerk PASSWORD '{SECRET}'"
    )
    return postgres_server.tcp(database, user="clerk", password=SECRET)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project that is nobody's memory."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "pay.md").write_text(
        "# Payments\n\nThe payment service charges cards. See [the ledger](ledger.md).\n", "utf-8"
    )
    (tmp_path / "docs" / "ledger.md").write_text(
        "# Ledger\n\nThe ledger keeps every booking of the payment service.\n", "utf-8"
    )
    (tmp_path / "charge.py").write_text("def charge_card(card):\n    return bool(card)\n", "utf-8")
    return tmp_path


COMMANDS = rows(__file__, "commands_over_a_server")


def test_commands_take_the_address_of_a_server(quipu: Quipu, folder: Path, login: str) -> None:
    for words, found in COMMANDS:
        codes: list[int] = []
        for store in ("plain.db", login):
            done = quipu("--store", store, *words)
            assert SECRET not in done.out + done.err, words
            assert found in done.out, (store, words, done.out, done.err)
            codes.append(done.code)
        assert codes[0] == codes[1], (words, done.out, done.err)
    for path in filter(Path.is_file, folder.rglob("*")):
        assert SECRET.encode() not in path.read_bytes(), path
    done = quipu("--store", login, "backup", "kept.quipu")
    assert (done.code, SECRET in done.err, "quipu export" in done.err) == (2, False, True)


def test_errors_show_no_password(quipu: Quipu, folder: Path, login: str) -> None:
    for store, said in (
        (login + "x", "make the database"),
        (login.replace("clerk", "nobody_here"), "check the user"),
        (login + "?schema=Not-a-name", "schema"),
        (login.replace("@", "@@"), "no address"),
        (login.replace("postgresql", "postgresqll"), "names no store"),
        (login + "?schema=nothing_here", "there is no deployment"),
    ):
        for flags in ((), ("--json",), ("-vv",)):
            done = quipu(*flags, "--store", store, "status")
            assert done.code in (2, 3), (store, done.out)
            assert said in done.out + done.err
            assert SECRET not in done.out + done.err
    assert SECRET not in quipu("--store", login, "init").err


def test_the_command_migrates_there_and_back(
    quipu: Quipu, postgres_address: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# Harbour\n\nThe harbour is dredged in spring.\n", "utf-8")
    url = postgres_address("new")
    assert quipu("--store", "one.db", "index", ".").code == 0
    there = quipu("migrate", "one.db", url, "--json")
    back = quipu("migrate", url, "two.db")
    assert (there.code, back.code) == (0, 0), there.err + back.err
    assert there.document["sha256"] in back.out.replace("\n", "")
    for name in ("one", "two"):
        quipu("--store", f"{name}.db", "export", f"{name}.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert quipu("--store", "one.db", "migrate", "one.db", url).code == 2
    assert quipu("migrate", "nowhere.db", url).code == 2
