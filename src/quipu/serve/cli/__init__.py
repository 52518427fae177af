"""The command line `quipu`: `main` is its entry point, `root.py` its table of commands.

Importing it costs click and nothing else; each command imports what it needs when it runs.
"""

from quipu.serve.cli.root import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Run the command line of this process and leave with its exit code."""
    cli.main()
