"""`key create | list | revoke`: who may use the server."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from quipu.errors import StoreUnavailable
from quipu.ledger import LEDGER, Ledger
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.terminal import safe
from quipu.serve.keys import SCOPES, ApiKey, ApiKeys, KeyList

__all__ = ["create", "key", "list_", "revoke"]

_HERE = "quipu.serve.cli.keys"


@click.group(
    "key",
    cls=Group,
    entries={
        "create": CommandEntry(f"{_HERE}:create", "Make a key; it is shown once."),
        "list": CommandEntry(f"{_HERE}:list_", "List the keys."),
        "revoke": CommandEntry(f"{_HERE}:revoke", "End a key."),
    },
    examples=("quipu key create --scope read --note dashboard", "quipu key list"),
)
def key() -> None:
    """Keys for `quipu serve`. Once there is one, nobody comes in without one."""


@command(
    "create", "quipu key create --scope write", "quipu key create --namespace team --scope read"
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="read",
    show_default=True,
    help="To ask; to remember and change, too; to index and forget, too.",
)
@click.option("--note", default="", help="What it is for.")
def create(scope: Any, note: str) -> None:
    """Make a key for one namespace (--namespace; default: the configured one).

    It is printed once and cannot be shown again: the ledger keeps a seal of it, made with your own
    key on this machine, so keys do not move with a backup.
    """
    run = invocation()
    with _keys(run) as (keys, namespace):
        made = keys.create(namespace, scope, note=note)
    run.show(made, lambda: [made.key])
    run.note(f"key {made.key_id} opens namespace {made.namespace!r}, scope {made.scope}")


@command("list", "quipu key list", "quipu key list --json")
def list_() -> None:
    """List the keys of this memory, of every namespace, without their secrets."""
    run = invocation()
    with _keys(run) as (keys, _):
        found = keys.all()
    run.show(KeyList(keys=tuple(found)), lambda: [_line(each) for each in found])


@command("revoke", "quipu key revoke 0123456789ab")
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """End the key KEY_ID: from now on it opens nothing. Again changes nothing."""
    run = invocation()
    with _keys(run) as (keys, _):
        ended = keys.revoke(key_id)
    run.show(ended, lambda: [f"Revoked {ended.key_id}."])


@contextmanager
def _keys(run: Invocation) -> Generator[tuple[ApiKeys, str]]:
    """The keys of the memory that is meant, and its namespace."""
    from quipu.trust import sealing_key

    with run.open(embedding=False) as memory:
        state = memory.home.state
        if state is None or memory.home.url == "memory:":
            raise StoreUnavailable("a memory of this process alone keeps no keys: name a store")
        with Ledger(state / LEDGER) as ledger:
            yield ApiKeys(ledger, sealing=sealing_key(), clock=memory.clock), memory.store.namespace


def _line(each: ApiKey) -> str:
    ended = f"revoked {each.revoked_at[:10]}" if each.revoked_at else "in force"
    text = f"{each.key_id}  {each.scope:5}  {each.namespace}  {each.created_at[:10]}  {ended}"
    return safe(f"{text}  {each.note}".rstrip(), line=True)
