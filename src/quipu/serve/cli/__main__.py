"""`python -m quipu.serve.cli` is `quipu`."""

from quipu.serve.cli import main

main()
