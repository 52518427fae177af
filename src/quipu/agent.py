"""`python -m quipu.agent --rag QUESTION` is `quipu chat --rag QUESTION`."""

import sys

from quipu.serve.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "chat")
    main()
