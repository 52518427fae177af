"""Which comments say something of the code."""

import pytest
from tests.rows import rows

from quipu.records.document import documents


@pytest.mark.parametrize(
    ("comment", "says"),
    rows(__file__, "a_comment_documents_or_not"),
)
def test_a_comment_documents_or_not(comment: str, says: bool) -> None:
    assert documents(comment) is says
