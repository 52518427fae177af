"""Where a remote model is and who may use it: `provider:model` names, addresses, keys.

A key comes from the environment, from a trusted `.env` or from a key file, and from nowhere else.
It is held in a `Secret`, which does not show it: not in a log, not in an error, not in a pickle.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, TypeAlias, get_args
from urllib.parse import urlsplit

from quipu.errors import InvalidConfig, ModelUnavailable
from quipu.limits import LONGEST_VALUE
from quipu.models.settings import ChatConfig, EmbedConfig

__all__ = ["Endpoint", "Secret", "endpoint", "find_key", "read_name"]

Provider: TypeAlias = Literal["openai", "azure", "compatible"]

KEY_VARIABLES: Mapping[str, str] = {
    "openai": "OPENAI_API_KEY",
    "azure": "AZURE_OPENAI_API_KEY",
    "compatible": "OPENAI_COMPATIBLE_API_KEY",
}
ADDRESS_VARIABLES = ("AZURE_OPENAI_ENDPOINT",)
_OPENAI = "https://api.openai.com/v1"


class Secret:
    """A text that shows itself only when it is asked to."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself."""
        return self._value

    def within(self, text: str) -> str:
        """`text` with the secret taken out."""
        return text.replace(self._value, "[key]") if self._value else text

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(set)" if self._value else "Secret(empty)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down")


class ModelName(NamedTuple):
    """`provider:model`, in its parts."""

    provider: Provider
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


class Endpoint(NamedTuple):
    """A model at its place. `deployment` and `api_version` are Azure's."""

    name: ModelName
    base_url: str
    key: Secret
    api_version: str
    deployment: str
    timeout_s: float

    @property
    def asked(self) -> str:
        """What a request calls the model."""
        return self.deployment if self.name.provider == "azure" else self.name.model


def read_name(text: str) -> ModelName:
    """`openai:gpt-x` in its parts; InvalidConfig for a provider that is not known."""
    provider, colon, model = text.strip().partition(":")
    for known in get_args(Provider):
        if provider == known and colon and model.strip():
            return ModelName(known, model.strip())
    known = ", ".join(f"{each}:NAME" for each in get_args(Provider))
    raise InvalidConfig(f"{text!r} names no model: write {known}")


def endpoint(config: ChatConfig | EmbedConfig, variables: Mapping[str, str]) -> Endpoint:
    """The endpoint that settings name; `variables` are the environment and `.env`.

    Raises InvalidConfig for an address that cannot be used, ModelUnavailable without a key.
    """
    name = read_name(config.model)
    address = config.base_url.strip() or _address(name, variables)
    _check(address)
    key = find_key(name.provider, key_file=config.key_file, variables=variables)
    deployment = config.deployment.strip() or name.model
    return Endpoint(name, address, key, config.api_version, deployment, config.timeout_s)


def find_key(provider: Provider, *, key_file: str, variables: Mapping[str, str]) -> Secret:
    """The key of `provider`; a compatible endpoint may have none."""
    variable = KEY_VARIABLES[provider]
    if key_file:
        return Secret(_read(Path(key_file).expanduser()))
    value = variables.get(variable, "").strip()
    if not value and provider != "compatible":
        raise ModelUnavailable(
            f"there is no key for {provider}: set {variable} in the environment or in the .env of "
            "a folder that you trust (`quipu trust`), or name a key file in your own quipu.toml "
            "(key_file)"
        )
    return Secret(value)


def _read(path: Path) -> str:
    try:
        text = path.read_text("utf-8")[: LONGEST_VALUE + 1].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelUnavailable(f"the key file {str(path)!r} cannot be read: {error}") from error
    if not text or len(text) > LONGEST_VALUE or any(c.isspace() for c in text):
        raise ModelUnavailable(f"the key file {str(path)!r} holds no key: one line, no spaces")
    return text


def _address(name: ModelName, variables: Mapping[str, str]) -> str:
    if name.provider == "openai":
        return _OPENAI
    if name.provider == "azure" and (given := variables.get(ADDRESS_VARIABLES[0], "").strip()):
        return given
    raise InvalidConfig(f"{str(name)!r} needs an address: set base_url in quipu.toml")


def _check(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidConfig("base_url is no http address: write, say, 'http://localhost:11434/v1'")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidConfig(
            "base_url holds a user, a password or a query, where a key would be seen: give the "
            "address alone and the key apart"
        )
