"""The server as a process: started, used over HTTP and MCP, told to end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

pytestmark = pytest.mark.enable_socket

Serve = Callable[..., AbstractContextManager[str]]
SERVE = [sys.executable, "-P", "-m", "quipu.serve.cli", "serve", "--store", ".quipu/quipu.db"]
ENVIRONMENT = {**os.environ, "QUIPU_EMBED_MODEL": "none"}


@pytest.fixture
def serve_process(free_port: Callable[[], int]) -> Serve:
    """`quipu serve` in a folder; its address. Told to end, it ends well."""

    @contextmanager
    def serving(folder: Path, *options: str) -> Iterator[str]:
        port = free_port()
        with (folder / "stderr.log").open("wb") as said:
            process = subprocess.Popen(
                [*SERVE, "--port", str(port), *options], cwd=folder, env=ENVIRONMENT, stderr=said
            )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process)
            yield url
        finally:
            process.terminate()
            assert process.wait(40) == 0

    return serving


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        try:
            if httpx.get(f"{url}/health", trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def test_a_process_serves_http_and_mcp(serve_process: Serve, home: Path) -> None:
    async def tools(url: str) -> Any:
        async with Client(f"{url}/mcp") as client:
            found = await client.call_tool("ask", {"question": "Who owns the payment service?"})
            return found.structured_content

    with serve_process(home, "-v") as url:
        body = {"question": "Who owns the payment service?"}
        asked = httpx.post(f"{url}/api/v1/ask", json=body, trust_env=False).json()
        assert "Ada Lovelace" in asked["contract"]["answer"]
        assert "Ada Lovelace" in anyio.run(tools, url)["contract"]["answer"]
        assert httpx.get(f"{url}/mcp", trust_env=False).status_code == 405
    lines = (home / "stderr.log").read_text("utf-8").splitlines()
    logged = [json.loads(line) for line in lines if line.startswith("{")]
    assert {"/api/v1/ask", "/mcp"} <= {each["route"] for each in logged}
    assert "Lovelace" not in str(logged)
    assert all(each["request_id"] for each in logged)
