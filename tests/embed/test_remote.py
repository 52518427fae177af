"""A remote embedding model: what is sent, what is believed, and what is refused."""

from typing import Any

import numpy as np
import pytest
from tests.servers.model_server import Body, ErrorStatus, ModelServer, WrongModel

from quipu.embed.remote import name_in, open_remote
from quipu.errors import InvalidConfig, ModelUnavailable, OverBudget
from quipu.models.settings import EmbedConfig
from quipu.testing.fakes import HashEmbedder

pytestmark = pytest.mark.enable_socket

KEY = {"OPENAI_API_KEY": "sk-1", "AZURE_OPENAI_API_KEY": "az-1"}


def remote(server: ModelServer, **options: Any) -> Any:
    given = {
        "model": "compatible:tiny",
        "dimension": 32,
        "base_url": server.base_url,
        "retries": 0,
    }
    return open_remote(EmbedConfig(**(given | options)), KEY)


def test_vectors_are_the_servers_scaled_to_length_one(server: ModelServer) -> None:
    found = remote(server).embed(["red fox", "blue sea", "red fox"])
    wanted = HashEmbedder(32).embed(["red fox", "blue sea", "red fox"])
    assert np.allclose(found, wanted, atol=1e-6)
    assert server.requests[0].body["input"] == ["red fox", "blue sea"]


def test_parts_and_windows_are_texts_of_their_own(server: ModelServer) -> None:
    made = remote(server).embed_parts("red fox. blue sea.", [(0, 8), (9, 18)])
    assert np.allclose(made.parts, HashEmbedder(32).embed(["red fox.", "blue sea."]), atol=1e-6)
    windows = remote(server).embed_windows("a b c d e f g h i", size=6, stride=3)
    assert np.allclose(windows.parts, HashEmbedder(32).embed(["a b c d e f", "d e f g h i"]))
    assert len(server.requests) == 2


def test_many_texts_go_in_several_requests(server: ModelServer) -> None:
    rows = remote(server).embed([f"text number {n}" for n in range(130)])
    assert [len(r.body["input"]) for r in server.requests] == [64, 64, 2]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_azure_is_asked_by_its_deployment(server: ModelServer) -> None:
    embedder = remote(
        server, model="azure:text-embedding-ada-002", deployment="ada", base_url=server.address
    )
    embedder.embed(["x"])
    assert server.requests[0].path.startswith("/openai/deployments/ada/embeddings?api-version=")
    assert server.requests[0].key == "az-1"
    assert embedder.space == "azure:text-embedding-ada-002/32"
    assert name_in(embedder.space) == ("azure:text-embedding-ada-002", 32)


def test_known_models_have_their_length_and_others_must_say_it() -> None:
    ada = EmbedConfig(model="openai:text-embedding-ada-002")
    assert open_remote(ada, KEY).dimension == 1536
    with pytest.raises(InvalidConfig, match=r"embed\.dimension"):
        open_remote(EmbedConfig(model="compatible:x", base_url="http://localhost/v1"), {})


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (WrongModel("other-model", 32), "other-model"),
        (WrongModel("tiny", 7), "length"),
        (Body(b'{"data": []}'), "0 vectors for 1"),
        (Body(b'{"data": [{"index": 3, "embedding": [1.0]}]}'), "vectors for 1"),
        (Body(b'{"data": [{"index": 0, "embedding": ["x"]}]}'), "cannot be read"),
        (Body(b'{"data": [{"index": 0, "embedding": %s}]}' % str([0.0] * 32).encode()), "is none"),
        (ErrorStatus(500), "500"),
    ],
    ids=str,
)
def test_what_could_mix_spaces_or_is_no_vector_is_refused(
    server: ModelServer, trouble: Any, said: str
) -> None:
    server.always(trouble)
    with pytest.raises(ModelUnavailable, match=said):
        remote(server).embed(["x"])


def test_the_budget_ends_embedding(server: ModelServer) -> None:
    embedder = remote(server, max_tokens=20)
    embedder.embed(["a b c"])
    with pytest.raises(OverBudget, match="max_tokens = 20"):
        embedder.embed(["word " * 50])
    assert embedder.budget.tokens == 3
