"""The commented `quipu.toml` that `quipu init` leaves: every key, its default, what it does."""

from itertools import groupby

from quipu.config import Setting, settings
from quipu.serve.cli.layout import wrapped

__all__ = ["settings_file"]

_HEAD = """\
# Quipu's settings. Every key is here with its default; take away a "#" to set one.
# The environment wins over this file: [store] url is QUIPU_STORE_URL. What names a model, an
# address, a key, a file or a store counts here only after `quipu trust`.
"""


def settings_file() -> str:
    """The text of the file; as it stands it sets nothing."""
    sections = groupby(settings(), key=lambda setting: setting.key.partition(".")[0])
    return _HEAD + "".join(
        f"\n[{section}]\n" + "\n".join(_key_lines(setting) for setting in keys) + "\n"
        for section, keys in sections
    )


def _key_lines(setting: Setting) -> str:
    name = setting.key.partition(".")[2]
    value = "  # unset" if setting.default == "unset" else setting.default
    return "\n".join([*wrapped(setting.doc, indent="## ", limit=90), f"# {name} = {value}"])
