"""A small crawler."""

import argparse
import os

__all__ = ["CachedClient", "Client", "FetchError", "fetch_page"]

MAX_DEPTH = 5


class FetchError(Exception):
    """A page could not be fetched."""


class Client:
    """Fetches pages one after another."""

    user_agent = "crawler/1.0"
    retries: int = 3

    def __init__(self, token: str | None = None) -> None:
        self.token = token or os.environ.get("CRAWLER_TOKEN", "anonymous")

    def send(self, url: str) -> str:
        """Send one request and give the body."""
        return fetch_page(url)

    def set_proxy(self, address: str) -> None:
        """Send everything through a proxy from now on."""
        self.proxy_url = address


class CachedClient(Client):
    """Keeps what was fetched."""

    def send(self, url: str) -> str:
        return super().send(url)


def fetch_page(url: str, timeout: float = 30.0, *, follow: bool = True) -> str:
    """Fetch one page and give its text.

    :raises FetchError: if the server does not answer in time
    """
    if not url:
        raise FetchError(url)
    if os.getenv("CRAWLER_OFFLINE"):
        raise ValueError("offline")
    return _read_body(url, timeout)


def _read_body(url, timeout):
    return url


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--depth", type=int, default=3, help="how far links are followed")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.parse_args()
