"""Search over HTTP under load: `wrk` (Debian's package) on a server with 1, 8, 32 and 128 clients.

The corpus is the one of `indexing`, without vectors: what is measured is the way through the
server, not the model. Every client keeps its connection and asks 200 different questions in turn.
The ratio to a search within one process is of both asked in turn, question by question, so that
other work on the machine slows both. Resident memory is looked at every second.
BENCH_SERVING_S is how long each number of clients asks (default 20 s).
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.corpus import Words, write_corpus
from bench.measure import percentile, quipu, resident_mb, run
from quipu import Memory

_CLIENTS = (1, 8, 32, 128)
_QUESTIONS, _WARM_UP = 200, 20
_WAIT_S = 60.0

_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {%s}
local n = 0
request = function()
  n = n + 1
  return wrk.format(nil, nil, nil, bodies[n %% #bodies + 1])
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format(
    "\\nFIGURES %%d %%d %%d %%d %%d %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    e.connect, e.read, e.write, e.status, e.timeout,
    latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
"""


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Requests a second, latencies, errors and memory, by number of clients."""
    if shutil.which("wrk") is None:
        raise RuntimeError("wrk is not installed: `apt-get install wrk`")
    corpus = out / f"corpus-{passages}"
    if not corpus.exists():
        write_corpus(corpus, passages)
    database = corpus / ".quipu" / "quipu.db"
    if not database.exists():
        run(quipu("init"), cwd=corpus)
        run(quipu("index", ".", "--no-embed", "--json"), cwd=corpus)
    (corpus / "quipu.toml").write_text('[embed]\nmodel = "none"\n', encoding="utf-8")
    words = Words(11)
    asked = [words.question() for _ in range(_QUESTIONS)]
    with Memory.open(database, embedder=None) as memory:
        chunks = memory.stats().counts["chunk"]
        with _serving(corpus) as (pid, url):
            turns = _in_turn(memory, url, pid, asked)
    with _serving(corpus) as (pid, url):
        _warm(url, asked)
        begun = resident_mb(pid)
        clients = {str(each): _loaded(url, pid, asked, each) for each in _CLIENTS}
    return {
        "chunks": chunks,
        "seconds_each": _seconds(),
        "in_turn": turns,
        "resident_mb_before": round(begun, 1),
        "clients": clients,
    }


def _seconds() -> int:
    return int(os.environ.get("BENCH_SERVING_S", "20"))


def _in_turn(memory: Memory, url: str, pid: int, asked: list[str]) -> dict[str, Any]:
    """Every question within the process and over one connection, in turn; the processor time of
    a search here and in the server, whatever else runs."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    within: list[float] = []
    over: list[float] = []
    here, there = 0.0, _processor_s(pid)
    try:
        for question in [*asked[:_WARM_UP], *asked]:
            start, before = time.perf_counter(), time.process_time()
            memory.search(question)
            here += time.process_time() - before
            between = time.perf_counter()
            _search(connection, question)
            within.append(1000 * (between - start))
            over.append(1000 * (time.perf_counter() - between))
        there = _processor_s(pid) - there
    finally:
        connection.close()
    figures = {"in_process_ms": _shares(within), "over_http_ms": _shares(over)}
    ratio = figures["over_http_ms"]["p50"] / figures["in_process_ms"]["p50"]
    return figures | {"ratio_of_p50": round(ratio, 2), "ratio_of_processor": round(there / here, 2)}


def _processor_s(pid: int) -> float:
    """Processor seconds that a process has taken, to a hundredth (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _shares(times: list[float]) -> dict[str, float]:
    told = times[_WARM_UP:]
    return {f"p{round(100 * s)}": round(percentile(told, s), 2) for s in (0.5, 0.95, 0.99)}


def _search(connection: http.client.HTTPConnection, question: str) -> None:
    head = {"Content-Type": "application/json"}
    connection.request("POST", "/api/v1/search", json.dumps({"question": question}), head)
    reply = connection.getresponse()
    reply.read()
    if reply.status != 200:
        raise RuntimeError(f"a search was answered with {reply.status}")


def _loaded(url: str, pid: int, asked: list[str], clients: int) -> dict[str, Any]:
    """What `wrk` tells of so many clients; any answer but 2xx is an error."""
    held: list[float] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(1):
            held.append(resident_mb(pid))

    watching = threading.Thread(target=look)
    watching.start()
    try:
        requests, lasted, *errors, p50, p95, p99 = _wrk(url, asked, clients)
    finally:
        ended.set()
        watching.join()
    kinds = ("connect", "read", "write", "status", "timeout")
    return {
        "requests_a_second": round(requests / (lasted / 1e6), 1),
        "p50_ms": round(p50 / 1000, 2),
        "p95_ms": round(p95 / 1000, 2),
        "p99_ms": round(p99 / 1000, 2),
        "requests": requests,
        "errors": dict(zip(kinds, errors, strict=True)),
        "resident_mb": [round(each, 1) for each in held[:: max(-(-len(held) // 10), 1)]],
    }


def _wrk(url: str, asked: list[str], clients: int) -> list[int]:
    """`requests duration_us connect read write status timeout p50_us p95_us p99_us`."""
    # A question is letters and spaces, so its JSON is a string of Lua's in long brackets.
    bodies = ", ".join(f"[==[{json.dumps({'question': each})}]==]" for each in asked)
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as script:
        script.write(_SCRIPT % bodies)
        script.flush()
        done = subprocess.run(
            [
                "wrk",
                "-t1",
                f"-c{clients}",
                f"-d{_seconds()}s",
                "--timeout",
                "30s",
                "-s",
                script.name,
                f"{url}/api/v1/search",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    found = re.search(r"^FIGURES ([\d ]+)$", done.stdout, re.MULTILINE)
    if found is None:
        raise RuntimeError(f"wrk told no figures: {done.stdout}{done.stderr}")
    return [int(each) for each in found[1].split()]


@contextmanager
def _serving(corpus: Path) -> Generator[tuple[int, str]]:
    """`quipu serve` over the corpus, without a limit of rate: its process and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = quipu("serve", "--port", str(port), "--rate", "0")
    process = subprocess.Popen(
        command, cwd=corpus, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _await(f"{url}/health", process)
        yield process.pid, url
    finally:
        process.terminate()
        process.wait(30)


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _warm(url: str, asked: list[str]) -> None:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        for question in asked[:_WARM_UP]:
            _search(connection, question)
    finally:
        connection.close()
