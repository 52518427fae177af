"""How a server is run: where it listens and what it bears."""

import msgspec

from quipu.serve.mcp import Profile

__all__ = ["Options"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What `quipu serve` was told. Times in seconds, sizes in bytes; `hosts` are further names
    that it is reached by, for example behind a proxy."""

    host: str = "127.0.0.1"
    port: int = 8765
    hosts: tuple[str, ...] = ()
    threads: int = 8
    waiting: int = 256
    requests_a_minute: int = 600
    seconds: float = 60.0
    largest: int = 8 * 1024 * 1024
    log_questions: bool = False
    profile: Profile = "default"
