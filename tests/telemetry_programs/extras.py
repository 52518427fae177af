"""What Quipu does with a library that an extra brings: `python extras.py NAME [PORT]`.

It says `ready` when the library has been used and ends when its standard input does: a library may
report long after it was loaded. With `all` (but Ray) each is a process of its own, with a home and
a folder of its own.
"""

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from quipu.config import Config, EmbedConfig, IndexConfig
from quipu.errors import StoreUnavailable
from quipu.memory import Memory

SAID = "Ana owns the payments service."
NOBODY = "127.0.0.1:9"


def openai(port: str) -> None:
    sys.path.append(str(Path(__file__).parents[2]))
    from tests.servers.model_server import ModelServer

    with ModelServer() as server:
        remote = EmbedConfig(model="compatible:tiny", dimension=32, base_url=server.base_url)
        with Memory.open("memory:", config=Config(embed=remote)) as memory:
            memory.add(SAID)
            assert server.requests


def anthropic(port: str) -> None:
    from quipu.serve.anthropic_memory import QuipuMemoryTool

    with Memory.open("memory:") as memory:
        tool = QuipuMemoryTool(memory)
        tool.call({"command": "create", "path": "/memories/a", "file_text": SAID})
        assert SAID in str(tool.call({"command": "view", "path": "/memories/a"}))


def langchain(port: str) -> None:
    from quipu.serve.langchain import QuipuRetriever

    with Memory.open("memory:") as memory:
        memory.add(SAID)
        assert QuipuRetriever(memory=memory, limit=1).invoke("payments")


def langgraph(port: str) -> None:
    from quipu.serve.langgraph import QuipuStore

    with Memory.open("memory:") as memory:
        store = QuipuStore(memory)
        store.put(("notes",), "one", {"text": SAID})
        assert store.search(("notes",), query="payments")


def llama_index(port: str) -> None:
    from quipu.serve.llama_index import QuipuRetriever

    with Memory.open("memory:") as memory:
        memory.add(SAID)
        assert QuipuRetriever(memory=memory, limit=1).retrieve("payments")


def neo4j(port: str) -> None:
    _away(f"neo4j://{NOBODY}")


def postgres(port: str) -> None:
    _away(f"postgresql://somebody@{NOBODY}/none")


def _away(url: str) -> None:
    try:
        Memory.open(url)
    except StoreUnavailable:
        return
    raise AssertionError(f"{url} is there")


def ray(port: str) -> None:
    # Ray keeps what it runs with in a folder of the machine; a path of a socket is short.
    Path("notes").mkdir()
    for n in range(40):
        Path("notes", f"{n}.md").write_text(f"# Note {n}\n\n{SAID} {'More of it. ' * 400}\n")
    config = Config(index=IndexConfig(engine="ray"))
    with Memory.open(Path("ray.db"), config=config) as memory:
        assert len(memory.index(Path("notes")).added) == 40
        import ray

        assert ray.is_initialized()
        time.sleep(float(os.environ["STAY_S"]))


MODULES = {
    "anthropic": "anthropic",
    "openai": "openai",
    "langchain": "langchain_core",
    "langgraph": "langgraph",
    "llama_index": "llama_index",
    "neo4j": "neo4j",
    "postgres": "psycopg",
    "ray": "ray",
}


def main(name: str, port: str) -> None:
    if name != "all":
        globals()[name](port)
        print("ready", flush=True)
        sys.stdin.read()
        return
    stay_s = float(os.environ["STAY_S"])
    running = {
        name: _start(name, port)
        for name, module in MODULES.items()
        if name != "ray" and find_spec(module)
    }
    for name, process in running.items():
        assert process.stdout.readline() == b"ready\n", name
    time.sleep(stay_s)
    for name, process in running.items():
        process.communicate()
        assert process.returncode == 0, name
        print(name)


def _start(name: str, port: str) -> "subprocess.Popen[bytes]":
    home, folder = Path.home() / name, Path(name)
    home.mkdir()
    folder.mkdir()
    return subprocess.Popen(
        [sys.executable, "-P", __file__, name, port],
        cwd=folder,
        env={**os.environ, "HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


main(sys.argv[1], sys.argv[2])
