"""`python -m quipu` is the command `quipu`."""

from quipu.serve.cli import main

if __name__ == "__main__":
    main()
