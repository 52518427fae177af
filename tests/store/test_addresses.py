"""What of an address is shown."""

import pytest

from quipu.store.addresses import shown

SECRET = "s3cret-Password"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f"postgresql://ann:{SECRET}@db:5432/notes", "postgresql://ann@db:5432/notes"),
        (f"postgresql://ann:{SECRET}@@x/{SECRET}@db/notes", "postgresql://ann@db/notes"),
        (f"postgresql://ann:{SECRET}/?#@db/notes", "postgresql://ann@db/notes"),
        (f"postgresql://:{SECRET}@db/notes", "postgresql://@db/notes"),
        (f"neo4j+s://ann:{SECRET}@[::1]:7687", "neo4j+s://ann@[::1]:7687"),
        (
            f"postgresql:///notes?host=/run&password={SECRET}&sslpassword={SECRET}&user=ann",
            "postgresql:///notes?host=/run&password=***&sslpassword=***&user=ann",
        ),
        ("postgresql://ann@db/notes", "postgresql://ann@db/notes"),
        ("postgresql://db:5432/notes", "postgresql://db:5432/notes"),
        ("sqlite:////srv/ann:x@y/quipu.db", "sqlite:////srv/ann:x@y/quipu.db"),
        ("/srv/ann/quipu.db", "/srv/ann/quipu.db"),
        ("memory:", "memory:"),
    ],
)
def test_a_password_in_an_address_is_not_shown(given: str, said: str) -> None:
    assert shown(given) == said
    assert SECRET not in shown(given)
