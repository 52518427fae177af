"""Where a community lies: the folder, site or conversation that most of its sources are of."""

import pytest

from quipu.kinds.reports.compose import place_of


@pytest.mark.parametrize(
    ("refs", "place"),
    [
        (["docs/a.md", "docs/b.md", "src/c.py"], "docs/"),
        (["docs/x/a.md", "docs/x/b.md", "docs/y/c.md"], "docs/x/"),
        (["a.md", "b.md"], ""),
        (["docs/a.md", "src/b.md"], ""),
        (["https://a.example/x/1", "https://a.example/y/2"], "https://a.example/"),
        (["https://a.example/1", "https://b.example/2", "https://c.example/3"], ""),
        ([], ""),
    ],
)
def test_a_place_is_where_three_fifths_lie(refs: list[str], place: str) -> None:
    found, witnesses = place_of(refs)
    assert found == place
    assert bool(witnesses) == bool(place)
