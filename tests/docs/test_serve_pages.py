"""The page on serving: the calls in it are real routes."""

import re
from pathlib import Path

from quipu.serve.http.app import endpoints

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def test_every_route_that_is_named_is_there() -> None:
    page = (HOW_TO / "serve.md").read_text("utf-8")
    named = set(re.findall(r"localhost:8765(/[\w/.]*\w)", page))
    paths = {each.shown_path for each in endpoints()} | {"/api/openapi.json"}
    assert named
    for each in named:
        assert (each.rpartition("/run_")[0] or each) in paths, each
