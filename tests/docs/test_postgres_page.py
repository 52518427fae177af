"""The page on PostgreSQL: its roles may do what it says, and its backup is restored."""

import re
import shlex
from pathlib import Path

import pytest
from tests.contract.store_compare import apply, assert_same
from tests.contract.store_sample import VERSION_A, one_source, operations
from tests.servers.postgres_server import PostgresServer

from quipu.errors import StoreUnavailable
from quipu.store import open_store
from quipu.store.inmemory import InMemoryStore, Shelf

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "postgres.md").read_text("utf-8")


def block(name: str) -> str:
    found = re.search(rf"```\w+ {name}\n(.*?)```", PAGE, re.DOTALL)
    assert found, name
    return found.group(1)


def each(text: str) -> list[str]:
    return [" ".join(statement.split()) for statement in text.split(";") if statement.strip()]


@pytest.mark.slow
def test_set_up_secured_backed_up_and_restored() -> None:
    with PostgresServer() as server:
        for statement in each(block("setup")):
            server.execute(statement)
        server.execute(block("extension"), "notes")
        owned = server.tcp("notes", user="quipu_owner", password="one password")
        oracle = InMemoryStore(Shelf(), namespace="default")
        with open_store(owned) as store:
            for operation in operations(5, 20):
                apply(store, operation)
                apply(oracle, operation)
        for statement in each(block("roles")):
            server.execute(statement, "notes")
        written = server.tcp("notes", user="quipu_writer", password="another password")
        with open_store(written, namespace="of the writer") as store:
            assert store.write(one_source(VERSION_A, "red", at=1)).changes == 2
            assert store.forget([VERSION_A.source_ref]) == 1
        with pytest.raises(StoreUnavailable, match="may not make the schema"):
            open_store(f"{written}?schema=another")
        read = server.tcp("notes", user="quipu_reader", password="a third password")
        with open_store(read, read_only=True) as store:
            assert_same(store, oracle)
        with pytest.raises(StoreUnavailable, match="may not do this"):
            open_store(read, namespace="new")
        for line in (block("backup") + block("restore")).strip().splitlines():
            program, *words = shlex.split(line)
            place = f"--host={server.folder}", f"--port={server.port}", "--username=owner"
            local = [
                word.replace("postgresql://quipu_owner@localhost/", "").replace("quipu.dump", dump)
                for dump in [str(server.folder / "quipu.dump")]
                for word in words
            ]
            server.run(program, *place, *local)
        restored = server.tcp("restored", user="quipu_owner", password="one password")
        with open_store(restored) as store:
            assert_same(store, oracle)
            for operation in operations(6, 5):
                apply(store, operation)
                apply(oracle, operation)
            assert_same(store, oracle)
