"""The page of commits names every relation that a commit has."""

import re
from pathlib import Path

from quipu.kinds.commits.model import CitationType
from quipu.records.schema import RelationType

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "commits.md").read_text("utf-8")


def test_the_page_names_every_relation_of_a_commit() -> None:
    relations = {*CitationType.__args__, "MODIFIES", "AUTHORED_BY"}
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE)) == relations
    assert relations <= {str(each) for each in RelationType}
