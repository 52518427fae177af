"""What somebody does with an empty home: `python a_day.py PORT STAY_S`, in the folder."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

QUIPU = [sys.executable, "-P", "-m", "quipu.serve.cli"]
ASKED = "Who owns the payments service?"
LIBRARY = f"""
import sys
from quipu import Memory
with Memory.open(".quipu/quipu.db") as memory:
    print(memory.ask({ASKED!r}).contract.answer, flush=True)
    sys.stdin.read()
"""


def main() -> None:
    port, stay_s = sys.argv[1], float(sys.argv[2])
    for words in (
        ["init"],
        ["index"],
        ["add", "Ana owns the payments service."],
        ["search", "payments"],
        ["ask", ASKED],
        ["status"],
        ["doctor"],
    ):
        subprocess.run([*QUIPU, *words], check=True)
    commands = {
        "serve": [*QUIPU, "serve", "--store", ".quipu/quipu.db", "--port", port],
        "mcp": [*QUIPU, "mcp"],
        "library": [sys.executable, "-P", "-c", LIBRARY],
    }
    started = {
        name: subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for name, words in commands.items()
    }
    print(started["library"].stdout.readline())
    for line in spoken():
        started["mcp"].stdin.write(line)
        started["mcp"].stdin.flush()
    print(started["mcp"].stdout.readline(), started["mcp"].stdout.readline())
    print(served(port))
    time.sleep(stay_s)
    started["serve"].terminate()
    for name, process in started.items():
        process.communicate()
        assert process.returncode == 0, (name, process.returncode)


def spoken() -> Iterator[bytes]:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    called = {"name": "memory_search", "arguments": {"query": "payments"}}
    for number, method, given in (
        (1, "initialize", hello),
        (None, "notifications/initialized", {}),
        (2, "tools/call", called),
    ):
        said = {"jsonrpc": "2.0", "method": method, "params": given}
        yield json.dumps(said if number is None else {"id": number, **said}).encode() + b"\n"


def served(port: str) -> str:
    """What the server finds, as soon as it is there."""
    asked = json.dumps({"question": ASKED}).encode()
    kind = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/ask", asked, kind)
    for _ in range(6000):
        try:
            with urllib.request.urlopen(request) as answer:
                return str(answer.read().decode())
        except ConnectionError:
            time.sleep(0.1)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)
    raise AssertionError("the server did not start")


main()
