"""What remote models were asked is counted, and told to Prometheus."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.servers.model_server import Body, Cut, ErrorStatus, ModelServer, Slow

from quipu.errors import ModelUnavailable
from quipu.models.budget import Budget
from quipu.models.chat import RemoteChat
from quipu.models.tally import Tally
from quipu.serve.http.metrics import ServerMetrics

pytestmark = pytest.mark.enable_socket
ASKED = [{"role": "user", "content": "who owns it?"}]


def test_calls_tokens_and_cost_are_counted(
    chat: Callable[..., RemoteChat], server: ModelServer
) -> None:
    tally = Tally()
    budget = Budget(input_price=2.0, output_price=8.0)
    model = chat(tally=tally, budget=budget)
    server.then(ErrorStatus(503))
    with pytest.raises(ModelUnavailable):
        model.complete(ASKED)
    model.complete(ASKED)
    list(model.stream(ASKED))
    found = tally.by_model()["compatible:tiny"]
    assert found.calls == 3
    assert found.failures == {"server": 1}
    assert found.tokens == budget.tokens > 0
    assert found.cost == pytest.approx(budget.cost)
    text = ServerMetrics(tally).text().decode()
    assert 'quipu_provider_calls_total{model="compatible:tiny"} 3.0' in text
    assert 'quipu_provider_errors_total{kind="server",model="compatible:tiny"} 1.0' in text
    assert f'quipu_provider_tokens_total{{model="compatible:tiny"}} {found.tokens}.0' in text
    assert f'quipu_provider_cost_total{{model="compatible:tiny"}} {found.cost}' in text


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (ErrorStatus(401), "key"),
        (ErrorStatus(404), "refused"),
        (ErrorStatus(400), "refused"),
        (ErrorStatus(429), "busy"),
        (ErrorStatus(500), "server"),
        (Slow(1.0), "timeout"),
        (Body(b"<html>"), "unreadable"),
        (Cut(0), "unreachable"),
    ],
)
def test_a_failure_is_counted_by_its_kind(
    chat: Callable[..., RemoteChat], server: ModelServer, trouble: Any, kind: str
) -> None:
    tally = Tally()
    server.then(trouble)
    with pytest.raises(ModelUnavailable):
        chat(tally=tally, retries=0, timeout_s=0.3).complete(ASKED)
    found = tally.by_model()["compatible:tiny"]
    assert (found.calls, found.failures, found.tokens) == (1, {kind: 1}, 0)
