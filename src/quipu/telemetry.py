"""Opt-outs from what libraries report or write of their own accord.

Importing `quipu` applies them before any other module of the package is imported: they hold in
every process that Quipu starts, whichever module comes first. What is imported before Quipu is the
program's own. `SECURITY.md` says which versions were watched; `tests/test_telemetry.py` watches.
"""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["VARIABLES", "OptOut", "alone", "opt_out"]


class OptOut(NamedTuple):
    """A variable that keeps `library` from reporting; `otherwise` is what it does without."""

    library: str
    variable: str
    value: str
    otherwise: str


VARIABLES = (
    OptOut(
        "onnxruntime",
        "ORT_DISABLE_TELEMETRY",
        "1",
        "writes ~/.cache/Microsoft and sends events to Microsoft",
    ),
    OptOut("ray", "RAY_USAGE_STATS_ENABLED", "0", "sends usage to usage-stats.ray.io"),
    OptOut(
        "huggingface-hub",
        "HF_HUB_DISABLE_TELEMETRY",
        "1",
        "names the program and its libraries in each request",
    ),
)

_NOBODY = "http://127.0.0.1:9"
_TOKEN = os.urandom(32).hex()


def opt_out() -> None:
    """Set each variable that has no value yet. A value that the user has set stands: that is to
    ask for it."""
    for each in VARIABLES:
        if not os.environ.get(each.variable):
            os.environ[each.variable] = each.value


@contextmanager
def alone() -> Generator[None]:
    """The environment in which a Ray of this machine is started: whatever it was told of usage, it
    asks the clouds' metadata servers where it runs, and it writes ~/.ray/auth_token. So its
    processes have a proxy at which nobody answers, and a token of their own."""
    given = {
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), _NOBODY),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1"),
        "RAY_AUTH_TOKEN": os.environ.get("RAY_AUTH_TOKEN") or _TOKEN,
    }
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        _restore(before)


def _restore(before: Mapping[str, str | None]) -> None:
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
