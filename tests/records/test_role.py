"""What a file is for, told by its path."""

import pytest
from tests.rows import rows

from quipu.records.role import role_of


@pytest.mark.parametrize(
    ("path", "code", "role"),
    rows(__file__, "a_path_tells_the_role"),
)
def test_a_path_tells_the_role(path: str, code: bool, role: str) -> None:
    assert role_of(path, code=code) == role
