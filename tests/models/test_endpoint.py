"""Names, addresses and keys of remote models."""

import pickle
from pathlib import Path

import pytest

from quipu.errors import InvalidConfig, ModelUnavailable
from quipu.models.calling import Budget
from quipu.models.endpoint import Secret, endpoint, find_key, read_name
from quipu.models.settings import ChatConfig

KEYS = {"OPENAI_API_KEY": "k1"}


@pytest.mark.parametrize("text", ["", "gpt-4o", "openai:", "nobody:x", ":x"])
def test_a_name_without_a_known_provider_is_refused(text: str) -> None:
    with pytest.raises(InvalidConfig, match="openai:NAME"):
        read_name(text)


@pytest.mark.parametrize(
    "address",
    ["ftp://x/v1", "localhost:1", "http://user:pw@host/v1", "https://h/v1?key=secret"],
)
def test_an_address_that_cannot_be_used_is_refused_without_being_shown(address: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        endpoint(ChatConfig(model="openai:x", base_url=address), KEYS)
    assert "secret" not in str(caught.value)
    assert "pw" not in str(caught.value).replace("password", "")


def test_a_compatible_model_needs_an_address_and_no_key() -> None:
    with pytest.raises(InvalidConfig, match="base_url"):
        endpoint(ChatConfig(model="compatible:x"), KEYS)
    found = endpoint(ChatConfig(model="compatible:x", base_url="http://localhost:1/v1"), KEYS)
    assert not found.key


def test_a_key_comes_from_the_variables_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("k2\n", "utf-8")
    assert find_key("openai", key_file="", variables={"OPENAI_API_KEY": " k1 "}).reveal() == "k1"
    assert find_key("azure", key_file=str(file), variables={}).reveal() == "k2"
    with pytest.raises(ModelUnavailable, match="AZURE_OPENAI_API_KEY"):
        find_key("azure", key_file="", variables={"OPENAI_API_KEY": "k1"})


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff\xfe\xff", b"x" * 9999])
def test_a_file_without_a_key_is_refused_without_being_shown(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(ModelUnavailable, match="key file") as caught:
        find_key("openai", key_file=str(file), variables={})
    assert "two words" not in str(caught.value)


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("hidden-key")
    assert "hidden" not in f"{secret}{secret!r}{endpoint(ChatConfig(model='openai:x'), KEYS)}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert secret.within("the hidden-key is") == "the [key] is"


def test_a_cost_without_prices_cannot_be_kept() -> None:
    with pytest.raises(InvalidConfig, match="price"):
        Budget(max_cost=1.0)
