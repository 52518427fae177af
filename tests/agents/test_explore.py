"""One result with what is needed to work on a task: definitions, who uses them, further places."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.agents.budget import tokens
from quipu.agents.explore import explore
from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.memory import Memory

_RETRY = '''\
"""Charges that were declined."""

RETRIES = 4


def retry_charge(charge, waits=RETRIES):
    """Send a declined charge again, with a longer wait each time."""
    for attempt in range(waits):
        if charge.send():
            return attempt
    raise ValueError("declined")
'''
_TREE = {
    "shop/retry.py": _RETRY,
    "shop/orders.py": '''\
from shop.retry import retry_charge


def close_order(order):
    """Close an order once its charge went through."""
    return retry_charge(order.charge)
''',
    "shop/stock.py": "def count_stock(shelf):\n    return len(shelf)\n",
    "tests/test_retry.py": """\
from shop.retry import retry_charge


def test_a_declined_charge_is_sent_again_with_a_longer_wait_each_time(charge):
    assert retry_charge(charge) == 1
""",
    "docs/charges.md": "# Charges\n\nA declined charge is sent again by `retry_charge`.\n",
}
_TASK = "A declined charge should wait longer each time it is sent again: mend retry_charge"


def _memory(folder: Path, tree: dict[str, str]) -> Memory:
    for path, text in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / ".quipu").mkdir()
    memory = Memory.open(folder / ".quipu" / "quipu.db", embedder=None, config=Config())
    memory.index()
    return memory


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Memory]:
    with _memory(tmp_path, _TREE) as memory:
        yield memory


def test_the_definition_stands_first_whole_with_who_uses_tests_and_tells_of_it(
    shop: Memory,
) -> None:
    found = explore(shop, _TASK)
    first = found.places[0]
    assert (first.reference, first.shown) == ("shop/retry.py:6-11", True)
    assert found.text.startswith("## shop/retry.py:6-11 · retry_charge(charge, waits=RETRIES)")
    assert "\n".join(_RETRY.splitlines()[5:11]) in found.text
    block = found.text.split("\n## ")[0]
    assert "Used by: close_order shop/orders.py:4" in block
    assert "Tests: test_a_declined_charge" in block
    assert "Told in: docs/charges.md" in block


def test_every_place_can_be_opened_and_is_tied_to_the_graph(shop: Memory) -> None:
    found = explore(shop, _TASK)
    for place in found.places:
        assert shop.get(place.reference)
        assert place.graph_ids
        assert all(shop.get(ref) for ref in place.graph_ids)


@pytest.mark.parametrize("budget", [100, 200, 350, 2000])
def test_the_budget_holds(shop: Memory, budget: int) -> None:
    found = explore(shop, _TASK, budget_tokens=budget)
    assert found.token_count == tokens(found.text) <= budget
    assert found.places


def test_of_a_long_definition_the_passage_that_was_found_is_shown(tmp_path: Path) -> None:
    body = "\n".join(f"    total += line_{n}" for n in range(300))
    text = (
        f"def settle(total):\n{body}\n    # the ledger rounds half to even here\n    return total\n"
    )
    with _memory(tmp_path, {"shop/settle.py": text}) as memory:
        found = explore(memory, "why does the ledger round half to even?")
    assert "rounds half to even here" in found.text
    assert found.token_count <= 2000


def test_quoted_text_cannot_end_its_own_quotation(tmp_path: Path) -> None:
    text = (
        'def help_text():\n    """Usage of the charge tool.\n\n    ```\n    run\n    ```\n    """\n'
    )
    with _memory(tmp_path, {"shop/help.py": text}) as memory:
        found = explore(memory, "usage of the charge tool")
    assert "````\n" in found.text


def test_a_file_that_changed_is_read_again(shop: Memory, tmp_path: Path) -> None:
    changed = _RETRY.replace("RETRIES = 4", "RETRIES = 4\nLONGEST = 90")
    (tmp_path / "shop/retry.py").write_text(changed, encoding="utf-8")
    found = explore(shop, _TASK)
    assert found.places[0].reference == "shop/retry.py:7-12"
    assert "def retry_charge" in found.text


def test_a_memory_without_code_gives_passages_and_an_empty_one_is_unknown(tmp_path: Path) -> None:
    with _memory(tmp_path, {"docs/charges.md": _TREE["docs/charges.md"]}) as memory:
        assert "A declined charge is sent again" in explore(memory, _TASK).text
    with Memory.open("memory:", embedder=None, config=Config()) as memory:
        assert explore(memory, _TASK).text.startswith("unknown")


def test_an_empty_task_is_refused(shop: Memory) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        explore(shop, " ")
