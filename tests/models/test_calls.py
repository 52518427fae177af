"""Calls to a remote model: what is asked, what is believed, and when it is given up."""

import logging
from collections.abc import Callable

import pytest
from tests.servers.model_server import Body, Cut, ErrorStatus, ModelServer

from quipu.errors import ModelUnavailable, OverBudget
from quipu.models.calling import Breaker, Budget
from quipu.models.chat import RemoteChat
from quipu.ports import ChatReply

pytestmark = pytest.mark.enable_socket

KEY = "sk-test-0123456789abcdefghij"
ASKED = [{"role": "user", "content": "Who owns it?"}]
Make = Callable[..., RemoteChat]


def test_a_reply_names_the_model_and_its_tokens(chat: Make, server: ModelServer) -> None:
    reply = chat().complete(ASKED)
    assert reply == ChatReply("Team Blue owns it [1].", 8, "tiny")
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].key == KEY


def test_azure_is_asked_by_deployment_and_version(chat: Make, server: ModelServer) -> None:
    chat(name="azure:gpt-4o", deployment="mine").complete(ASKED)
    request = server.requests[0]
    assert request.path == "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert request.key == KEY


def test_a_stream_gives_pieces_and_then_the_whole(chat: Make) -> None:
    *pieces, last = chat().stream(ASKED)
    assert len(pieces) > 2
    assert last == ChatReply("".join(map(str, pieces)), 8, "tiny")


@pytest.mark.parametrize("trouble", [ErrorStatus(429, retry_after=1), Cut(10)], ids=str)
def test_what_may_pass_is_tried_again(
    chat: Make, server: ModelServer, trouble: ErrorStatus | Cut
) -> None:
    server.then(trouble)
    assert chat(retries=1).complete(ASKED).text == "Team Blue owns it [1]."
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "answer",
    [b"{", b'{"choices": 3}', b"\xff\xfe", b"<html>"],
)
def test_what_cannot_be_read_is_an_error(chat: Make, server: ModelServer, answer: bytes) -> None:
    server.then(Body(answer))
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        chat(retries=1).complete(ASKED)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_tried_again(chat: Make, server: ModelServer, code: int) -> None:
    server.always(ErrorStatus(code))
    with pytest.raises(ModelUnavailable, match="compatible:tiny"):
        chat(retries=1).complete(ASKED)
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [400, 401, 429, 500])
def test_a_key_that_the_server_repeats_is_not_shown(
    chat: Make, server: ModelServer, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.always(ErrorStatus(code, said=f"Incorrect API key provided: {KEY}\x1b[31m"))
    with pytest.raises(ModelUnavailable) as caught:
        chat().complete(ASKED)
    shown = f"{caught.value}{caught.value!r}{caught.value.__cause__}"
    assert caught.value.__suppress_context__
    assert KEY not in shown
    assert "\x1b" not in shown
    assert KEY not in caplog.text


def test_a_model_that_keeps_failing_is_left_alone_for_a_while(
    chat: Make, server: ModelServer
) -> None:
    now = [0.0]
    breaker = Breaker(threshold=3, cool_down_s=30, clock=lambda: now[0])
    model = chat(breaker=breaker)
    server.always(ErrorStatus(500))
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="500"):
            model.complete(ASKED)
    with pytest.raises(ModelUnavailable, match="not asked for another 30 s"):
        model.complete(ASKED)
    assert len(server.requests) == 3
    now[0] = 31.0
    server.always(None)
    assert model.complete(ASKED).text


def test_a_call_that_would_pass_the_budget_is_not_made(chat: Make, server: ModelServer) -> None:
    model = chat(budget=Budget(max_tokens=100))
    model.complete(ASKED)
    assert model.budget.tokens == 8
    long = [{"role": "user", "content": "word " * 200}]
    with pytest.raises(OverBudget, match="max_tokens = 100"):
        model.complete(long)
    assert len(server.requests) == 1
    assert model.budget.tokens == 8


def test_a_call_that_failed_costs_nothing(chat: Make, server: ModelServer) -> None:
    model = chat(budget=Budget(max_tokens=100))
    server.always(ErrorStatus(400))
    for _ in range(5):
        with pytest.raises(ModelUnavailable, match="400"):
            model.complete(ASKED)
    assert model.budget.tokens == 0


def test_a_stream_that_is_cut_is_an_error_not_half_an_answer(
    chat: Make, server: ModelServer
) -> None:
    server.always(Cut(400))
    given: list[object] = []
    with pytest.raises(ModelUnavailable, match="failed"):
        given.extend(chat().stream(ASKED))
    assert not any(isinstance(each, ChatReply) for each in given)


def test_a_cost_is_limited_too(chat: Make, server: ModelServer) -> None:
    budget = Budget(max_cost=0.0001, input_price=1.0, output_price=1.0)
    model = chat(budget=budget)
    model.complete(ASKED)
    assert budget.cost == pytest.approx(8e-6)
    with pytest.raises(OverBudget, match="max_cost"):
        model.complete([{"role": "user", "content": "word " * 200}])
    assert len(server.requests) == 1
