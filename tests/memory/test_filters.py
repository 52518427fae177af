"""A word that bounds a search and means nothing here is an error, through every door."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.scope import Scope

Tree = Callable[[dict[str, str | bytes]], None]
TREE: dict[str, str | bytes] = {
    "docs/adr/1.md": "---\ntype: adr\nstatus: accepted\ndomain: billing\n---\n"
    "# Queues\n\nWe queue.\n",
    "docs/ledger.md": "---\nowner: '@blue'\n---\n# Ledger\n\nSee [queues](adr/1.md).\n",
}


def only(**words: str) -> Scope:
    """A scope of one word a set."""
    return msgspec.convert({name: [word] for name, word in words.items()}, Scope)


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (only(document_types="adrs"), "'adrs' is no document type here: did you mean 'adr'?"),
        (only(statuses="acepted"), "'acepted' is no status here: did you mean 'accepted'?"),
        (only(domains="shipping"), "'shipping' is no domain here: known are billing"),
        (only(source_types="files"), "'files' is no source type here: did you mean 'file'?"),
        (
            Scope(document_types=frozenset({"adr", "xyz"})),
            "'xyz' is no document type here: known are adr",
        ),
    ],
)
def test_an_unknown_filter_is_an_error_with_the_known_ones(
    memory: Memory, tree: Tree, scope: Scope, said: str
) -> None:
    tree(TREE)
    memory.index()
    ways: list[Callable[..., Any]] = [memory.plan, memory.search, memory.ask, memory.facts.find]
    for way in ways:
        with pytest.raises(InvalidInput) as error:
            way("which queue?", scope=scope)
        assert str(error.value).startswith(said)


def test_known_filters_pass_and_so_does_what_quipu_writes_itself(
    memory: Memory, tree: Tree
) -> None:
    empty = Scope(document_types=frozenset({"anything"}))
    assert memory.search("queue", scope=empty).hits == ()
    tree(TREE)
    memory.index()
    for scope, found in (
        (Scope(document_types=frozenset({"adr"}), statuses=frozenset({"accepted"})), True),
        (Scope(source_types=frozenset({"session"})), False),
        (Scope(document_types=frozenset({"memory"}), domains=frozenset({"fact"})), False),
        (Scope(groups=frozenset({"not begun"})), False),
    ):
        assert bool(memory.search("queue", scope=scope).hits) is found
