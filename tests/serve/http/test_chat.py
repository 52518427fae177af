"""The memory as a model, asked by OpenAI's own client."""

import re
from typing import Any

import openai
import pytest

pytestmark = pytest.mark.enable_socket

QUESTION: Any = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Who owns the payment service?"},
]


@pytest.fixture
def client(server: Any) -> Any:
    """OpenAI's client at our server."""
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as opened:
        yield opened


def test_the_memory_answers_as_a_model(client: Any) -> None:
    assert [model.id for model in client.models.list()] == ["quipu"]
    reply = client.chat.completions.create(model="quipu", messages=QUESTION, temperature=0)
    assert "Ada Lovelace" in reply.choices[0].message.content
    assert "docs/payments.md" in reply.choices[0].message.content
    assert reply.choices[0].finish_reason == "stop"
    assert reply.model_extra["citations"][0]["path"] == "docs/payments.md"
    assert 0 < reply.model_extra["confidence"]["value"] <= 1
    assert reply.usage.total_tokens > reply.usage.prompt_tokens > 0


def _undated(text: str) -> str:
    return re.sub(r"\d\d:\d\d:\d\d\.\d+Z", "", text)


def test_it_answers_in_pieces(client: Any) -> None:
    pieces = list(
        client.chat.completions.create(
            model="quipu", messages=QUESTION, stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(p.choices[0].delta.content or "" for p in pieces if p.choices)
    whole = client.chat.completions.create(model="quipu", messages=QUESTION)
    assert _undated(text) == _undated(whole.choices[0].message.content)
    assert pieces[-1].usage.total_tokens == whole.usage.total_tokens
    cited = [p.model_extra["citations"] for p in pieces if "citations" in (p.model_extra or {})]
    assert cited[0][0]["path"] == "docs/payments.md"


def test_what_is_unknown_is_said(client: Any) -> None:
    asked: Any = [{"role": "user", "content": "What is the phone number of Zork?"}]
    reply = client.chat.completions.create(model="quipu", messages=asked)
    assert "unknown" in reply.choices[0].message.content
    assert reply.model_extra["citations"] == []


def test_a_key_goes_where_openai_puts_it(server: Any, client: Any) -> None:
    made = server.memories.keys.create("default", "read")
    with pytest.raises(openai.AuthenticationError):
        client.chat.completions.create(model="quipu", messages=QUESTION)
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=made.key) as keyed:
        assert keyed.chat.completions.create(model="quipu", messages=QUESTION).choices


def test_mistakes_are_told(client: Any) -> None:
    with pytest.raises(openai.NotFoundError, match="there is no model 'gpt-4'"):
        client.chat.completions.create(model="gpt-4", messages=QUESTION)
    with pytest.raises(openai.BadRequestError, match="no question"):
        client.chat.completions.create(model="quipu", messages=QUESTION[:1])


def test_figures_tell_what_happened(server: Any, client: Any) -> None:
    client.chat.completions.create(model="quipu", messages=QUESTION)
    server.client.get("/api/v1/records/nothing")
    text = server.client.get("/metrics").text
    assert 'quipu_records{kind="chunk",namespace="default"}' in text
    completions = 'method="POST",namespace="default",route="/v1/chat/completions",status="200"'
    assert f"quipu_requests_total{{{completions}}}" in text
    assert 'route="/api/v1/records/{ref}",status="404"' in text
    assert 'quipu_stage_seconds_count{namespace="default",stage="plan"}' in text
    assert 'quipu_answer_confidence_count{namespace="default"} 1.0' in text
    assert "Lovelace" not in text
