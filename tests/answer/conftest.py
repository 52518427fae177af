"""A small remembered project that answers are asked of, at a fixed moment."""

from collections.abc import Callable

import pytest

from quipu.memory import Memory

FILES = {
    "payments.md": (
        "---\ntitle: Payments\nstatus: accepted\ndate: 2025-03-01\n---\n# Payments\n\n"
        "The payments service charges cards through Stripe. It retries three times [12] before "
        "it gives up.\n\n## Configuration\n\nSet `PAY_TIMEOUT` to a number of seconds. The default "
        "timeout is 30 seconds.\n"
    ),
    "CODEOWNERS": "*.py @team-core\n/pay.py @team-pay\n",
    "docker-compose.yml": (
        "services:\n  payments:\n    image: x\n    depends_on: [db, cache]\n  db:\n    image: pg\n"
        "  cache:\n    image: redis\n"
    ),
    "pay.py": (
        '"""Charging."""\nimport util\n\n\ndef charge_card(number, cents):\n'
        '    """Charge a card. Raises on failure."""\n    return util.parse_url(number)\n'
    ),
    "util.py": 'def parse_url(text):\n    """Split a URL into its parts."""\n    return text\n',
    "old.md": "---\ntitle: Old Payments\nsuperseded_by: payments.md\n---\n# Old Payments\n\n"
    "Zanzibar Cards were charged through Adyen in those days.\n",
}

Remember = Callable[[dict[str, str]], Memory]


@pytest.fixture
def project(remember: Remember) -> Memory:
    return remember(FILES)
