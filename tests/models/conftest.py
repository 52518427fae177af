"""A model's server on this machine, and the ways to reach it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.servers.model_server import ModelServer

from quipu.models.calling import Breaker, Budget, EndpointClient
from quipu.models.chat import RemoteChat
from quipu.models.endpoint import Endpoint, Secret, read_name

KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(reply="Team Blue owns it [1].") as running:
        yield running


@pytest.fixture
def chat(server: ModelServer) -> Callable[..., RemoteChat]:
    def make(**options: Any) -> RemoteChat:
        name = read_name(options.pop("name", "compatible:tiny"))
        azure = name.provider == "azure"
        at: ModelServer = options.pop("at", server)
        where = Endpoint(
            name,
            at.address if azure else at.base_url,
            Secret(KEY),
            "2024-10-21",
            options.pop("deployment", name.model),
            options.pop("timeout_s", 5.0),
        )
        given = {"budget": Budget(), "breaker": Breaker(), "retries": 0} | options
        caller = EndpointClient(where, **given)
        return RemoteChat(caller, answer_tokens=64)

    return make
