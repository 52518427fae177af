"""What the keys of the documents of `quipu mcp …` and `quipu chat` mean."""

__all__ = ["AGENTS"]

AGENTS: dict[str, dict[str, str]] = {
    "Exchange": {
        "question": "as asked",
        "answer": "what was answered; `[n]` points at source n",
        "model": "the model that answered; `offline` where the memory itself did",
        "sources": "what the marks open",
        "tokens": "the tokens that the model took",
        "notes": "what should be known about the answer",
    },
    "Source": {
        "n": "its number",
        "path": "where it stands: path and lines, or its reference",
        "confidence": "how sure it is to bear on the question",
        "text": "what it says, bounded",
    },
    "Extracted": {
        "model": "the model that read",
        "passages": "how many passages it read",
        "facts": "how many facts were written",
        "skipped": "what was refused, and why",
        "stopped": "why the rest waits; empty when nothing does",
    },
    "ClientChange": {
        "client": "the program that was told",
        "file": "its configuration file",
        "done": "`created`, `changed`, `unchanged`, `removed` or `absent` (nothing to take out)",
        "backup": "where the file as it was is kept; null if there was none to keep",
    },
    "GraphImported": {
        "entities": "how many entities were new",
        "observations": "how many observations were new",
        "relations": "how many relations were new",
        "errors": "each line that could not be used, and why",
    },
}
