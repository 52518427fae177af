"""What the keys of the documents of `quipu mcp …` mean."""

__all__ = ["AGENTS"]

AGENTS: dict[str, dict[str, str]] = {
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
