"""Opt-outs from what libraries report or write of their own accord.

Importing `quipu` applies them before any other module of the package is imported: they hold in
every process that Quipu starts, whichever module comes first. What is imported before Quipu is the
program's own. `SECURITY.md` says which versions were watched; `tests/test_telemetry.py` watches.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["VARIABLES", "alone", "opt_out"]

VARIABLES = {
    # ONNX Runtime writes ~/.cache/Microsoft and sends events to Microsoft
    "ORT_DISABLE_TELEMETRY": "1",
    # Ray sends usage to usage-stats.ray.io
    "RAY_USAGE_STATS_ENABLED": "0",
    # huggingface-hub names the program and its libraries in each request
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""What keeps libraries from reporting."""

_TOKEN = os.urandom(32).hex()  # Ray keeps the first that a process has seen


def opt_out() -> None:
    """Set each variable that has no value yet. A value that the user has set stands: that is to
    ask for it."""
    os.environ.update({k: value for k, value in VARIABLES.items() if not os.environ.get(k)})


@contextmanager
def alone() -> Generator[None]:
    """The environment in which a Ray of this machine is started: whatever it was told of usage, it
    asks the clouds' metadata servers where it runs, and it writes ~/.ray/auth_token. So its
    processes have a proxy at which nobody answers, and a token of their own."""
    nobody = "http://127.0.0.1:9"
    given = {
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), nobody),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1"),
        "RAY_AUTH_TOKEN": os.environ.get("RAY_AUTH_TOKEN") or _TOKEN,
    }
    before = {name: os.environ[name] for name in given if name in os.environ}
    os.environ.update(given)
    try:
        yield
    finally:
        for name in given:
            del os.environ[name]
        os.environ.update(before)
