"""`python -m quipu.agent --rag QUESTION`: the chat, without the rest of the command line."""

import argparse
import sys
from collections.abc import Sequence

from quipu.agents.chat import HELP, Agent, converse
from quipu.errors import Mistake, QuipuError
from quipu.files.standard import open_closed_streams
from quipu.memory import Memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chat; the exit code is 2 for the caller's mistake, 3 when something is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m quipu.agent",
        description="Chat with a memory, with a model or without.",
    )
    parser.add_argument("question", nargs="*", help="one question; without it, a conversation")
    parser.add_argument(
        "--rag",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="put what is remembered before the model",
    )
    parser.add_argument("--store", default=None, help="the store: a path or an address")
    parser.add_argument("--namespace", default=None, help="the namespace inside the store")
    given = parser.parse_args(arguments)
    try:
        with Memory.open(given.store, namespace=given.namespace, read_only=True) as memory:
            agent = Agent(memory, memory.chat, rag=given.rag)
            if not given.question and sys.stdin.isatty():
                _write(f"{HELP}\n")
            converse(agent, [" ".join(given.question)] if given.question else sys.stdin, _write)
    except KeyboardInterrupt:
        return 130
    except QuipuError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2 if isinstance(error, Mistake) else 3
    return 0


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    open_closed_streams()
    sys.exit(main())
