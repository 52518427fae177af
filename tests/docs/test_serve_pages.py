"""The pages on serving: the dashboard asks for figures that there are, calls are real routes."""

import json
import re
from pathlib import Path

from quipu.serve.http.app import endpoints
from quipu.serve.http.metrics import ServerMetrics

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
_STATE = {
    "quipu_records",
    "quipu_vectors",
    "quipu_generation",
    "quipu_index_age_seconds",
    "quipu_unembedded",
    "quipu_jobs",
    "quipu_calls",
}


def test_the_dashboard_asks_for_figures_that_there_are() -> None:
    dashboard = json.loads((HOW_TO / "grafana-dashboard.json").read_text("utf-8"))
    asked = " ".join(t["expr"] for panel in dashboard["panels"] for t in panel["targets"])
    names = set(re.findall(r"quipu_\w+", asked))
    metrics = ServerMetrics()
    metrics.request("/", "GET", 200, 0.1)
    with metrics.stage("plan"):
        pass
    text = metrics.text().decode()
    described = set(re.findall(r"^# TYPE (quipu_\w+)", text, re.MULTILINE)) | _STATE
    plain = {re.sub(r"_(bucket|count|sum|total)$", "", name) for name in names}
    known = {re.sub(r"_total$", "", name) for name in described}
    assert names
    assert plain <= known


def test_every_route_that_is_named_is_there() -> None:
    page = (HOW_TO / "serve.md").read_text("utf-8")
    named = set(re.findall(r"localhost:8765(/[\w/.]*\w)", page))
    paths = {each.shown_path for each in endpoints()} | {"/api/openapi.json"}
    assert named
    for each in named:
        assert (each.rpartition("/run_")[0] or each) in paths, each
