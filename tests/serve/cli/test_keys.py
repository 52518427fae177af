"""`quipu key`: made, listed, revoked."""

from collections.abc import Callable
from typing import Any

Quipu = Callable[..., Any]


def test_a_key_is_shown_once_listed_and_revoked(quipu: Quipu) -> None:
    assert quipu("init").code == 0
    words = ("--scope", "write", "--note", "the bot", "--namespace", "team", "--json")
    made = quipu("key", "create", *words).document
    assert made["key"].startswith(f"quipu_{made['key_id']}_")
    (listed,) = quipu("key", "list", "--json").document["keys"]
    assert "key" not in listed
    assert (listed["namespace"], listed["scope"], listed["note"]) == ("team", "write", "the bot")
    assert listed["revoked_at"] is None
    ended = quipu("key", "revoke", made["key_id"], "--json").document
    assert quipu("key", "revoke", made["key_id"], "--json").document == ended
    assert ended["revoked_at"]
    shown = quipu("key", "list").out
    assert "revoked" in shown
    assert made["key"] not in shown


def test_an_unknown_key_is_a_mistake(quipu: Quipu) -> None:
    assert quipu("init").code == 0
    failed = quipu("key", "revoke", "nothing")
    assert failed.code == 2
    assert "quipu key list" in failed.err
    assert quipu("key", "create", "--scope", "everything").code == 2
