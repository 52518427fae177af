"""`key create | list | revoke`: who may use the server."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated

from quipu.errors import StoreUnavailable
from quipu.ledger import LEDGER, Ledger
from quipu.serve.cli.invocation import Invocation
from quipu.serve.keys import ApiKey, ApiKeys, KeyList, MadeKey
from quipu.serve.operations import Command, KeyScope, Word, operation

__all__: list[str] = []


@operation(None, Command())
def create(
    run: Invocation,
    scope: Annotated[KeyScope, "to ask; to remember and change, too; to index and forget, too"] = (
        "read"
    ),
    note: Annotated[str, "what it is for"] = "",
) -> MadeKey:
    """Make a key for one namespace (--namespace; default: the configured one).

    It is printed once and cannot be shown again: the ledger keeps a seal of it, made with your own
    key on this machine, so keys do not move with a backup.

    $ quipu key create --scope write
    $ quipu key create --namespace team --scope read
    """
    with _keys(run) as (keys, namespace):
        made = keys.create(namespace, scope, note=note)
    run.note(f"key {made.key_id} opens namespace {made.namespace!r}, scope {made.scope}")
    return made


@operation(None, Command())
def list_(run: Invocation) -> KeyList:
    """List the keys of this memory, of every namespace, without their secrets.

    $ quipu key list
    $ quipu key list --json
    """
    with _keys(run) as (keys, _):
        return KeyList(keys=tuple(keys.all()))


@operation(None, Command())
def revoke(run: Invocation, key_id: Annotated[str, Word()]) -> ApiKey:
    """End the key KEY_ID: from now on it opens nothing. Again changes nothing.

    $ quipu key revoke 0123456789ab
    """
    with _keys(run) as (keys, _):
        return keys.revoke(key_id)


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
