"""What a file is for tells which questions it answers."""

from collections.abc import Callable

import pytest

from quipu.embed.minilm import MiniLM
from quipu.memory import Memory
from quipu.ports import Embedder

Remember = Callable[[dict[str, str]], Memory]
RememberWith = Callable[[dict[str, str], Embedder], Memory]
SHOP = {
    "CHANGES.md": (
        "# Changes\n\n## 3.0.0 (2026-03-01)\n\n- The voucher column was removed from the cart.\n"
        "- Orders are numbered.\n\n## 2.2.0 (2026-02-01)\n\n"
        "- A voucher column was added to the cart.\n"
        "- Added `shop.HeavyCart`, a stronger alternative to `shop.LightCart`. It counts the way "
        "`LightCart` does.\n\n## 1.1.0 (2026-01-01)\n\n"
        "- Added `shop.LightCart` and `shop.PlainCart`, which hold little.\n"
    ),
    "shop/cart.py": (
        "def count_cart(cart):\n"
        '    """Count what is in the cart, without the column of vouchers."""\n'
        "    return len(cart)\n\n\n"
        "def price_cart(cart, voucher):\n"
        '    """The price of a cart."""\n'
        "    return sum(cart) - voucher\n"
    ),
    "docs/settings.rst": (
        "Settings\n========\n\nWhat can be set.\n\n.. py:data:: CART_LIMIT\n\n"
        "   How many things a cart holds at most before it is refused. Default: ``40``\n\n"
        ".. py:data:: CART_COLOUR\n\n   The colour that carts are painted in. Default: ``red``\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("When was the voucher column removed from the cart?", "3.0.0"),
        ("Which release added a voucher column to the cart?", "2.2.0"),
        ("When was LightCart added?", "1.1.0"),
        ("When was PlainCart added?", "1.1.0"),
        ("When was HeavyCart added?", "2.2.0"),
    ],
)
def test_a_release_is_named_and_no_other(question: str, version: str, remember: Remember) -> None:
    said = remember(SHOP).ask(question).contract.answer
    assert said.startswith(f"Changes › {version}")
    assert said.count("Changes › ") == 1


def test_where_something_is_names_its_file(remember: Remember) -> None:
    said = remember(SHOP).ask("where does the cart lose its voucher price").contract.answer
    assert "of `shop/cart.py`" in said or "In `shop/cart.py`" in said
    assert "Changes" not in said


def test_what_describes_a_name_is_led_by_it(remember: Remember) -> None:
    said = remember(SHOP).ask("how many things a cart holds before it is refused").contract.answer
    assert said.startswith("`CART_LIMIT`: How many things a cart holds")


def test_the_section_that_is_asked_for_comes_before_one_of_something_else(
    remember: Remember,
) -> None:
    memory = remember(
        {
            "README.md": "# Loom\n\nLoom weaves.\n\n## Install\n\n```\npip install loom\n```\n",
            "docs/cli.md": "# Commands\n\n## loom plugin install\n\n```\nInstall a plugin of Loom, "
            "which weaves with it.\n\nloom plugin install --name loom-colours\n```\n",
            "src/loom.py": "def weave(row):\n    return row\n",
        }
    )
    assert (
        "pip install loom" in memory.ask("How do I install loom?").contract.answer.split("[1]")[0]
    )


def test_a_release_that_does_not_name_it_did_not_bring_it(remember_with: RememberWith) -> None:
    changes = (
        "# Changes\n\n## 2.1.0\n\n- New ovens.BakeSlowly as an easier way to bake.\n\n## 1.9.0\n\n"
        "- The version which introduced the interface that ovens have adopted since.\n"
    )
    memory = remember_with({"CHANGELOG.md": changes}, MiniLM(threads=1))
    said = memory.ask("which version introduced BakeSlowly")
    assert said.contract.answer.startswith("Changes › 2.1.0")


def test_what_tests_something_is_a_test(remember_with: RememberWith) -> None:
    files = {
        "oven/heat.py": 'def heat_up(oven):\n    """Heat an oven up slowly."""\n    return oven\n',
        "tests/test_heat.py": "def test_an_oven_heats_up_slowly():\n    assert heat_up(1) == 1\n",
    }
    memory = remember_with(files, MiniLM(threads=1))
    said = memory.ask("which file tests that an oven heats up slowly").contract.answer
    assert "tests/test_heat.py" in said.split("[1]")[0]
