"""What the keys of reports of writing mean, by the type that holds them."""

__all__ = ["NOTES", "REPORTS"]

NOTES = "what should be known about the result: what could not be used, how old the index is"

REPORTS: dict[str, dict[str, str]] = {
    "IndexReport": {
        "documents": "documents held from the indexed roots afterwards",
        "chunks": "passages held from them",
        "added": "paths of new files",
        "changed": "paths of files with another content",
        "removed": "paths of files that are gone",
        "renamed": "pairs: the old path, the new one",
        "unchanged": "how many files were as before",
        "extracted": "how many assertions of facts, entities and relations were written",
        "refused": "what was not kept, by rule",
        "errors": "files that were left out; what was held of them stays",
        "warnings": "files that were read with a reservation",
        "redacted": "how many secrets were redacted, by kind",
        "unresolved": "references whose target is not here",
        "embedded": "passages that got a vector now",
        "unembedded": "passages still without one",
        "sequence": "the store's sequence number afterwards",
        "seconds": "how long the run took",
        "embed_seconds": "how much of that was embedding",
        "notes": NOTES,
    },
    "HistoryReport": {
        "repository": "what the repository is called here: the group of its commits",
        "head": "the hash of the commit that HEAD led to",
        "commits": "commits of it that are held afterwards",
        "added": "how many were new",
        "removed": "how many vanished from the history and were retired",
        "unchanged": "how many were there already",
        "edges": "relations that the new commits assert, by type",
        "errors": "commits that cannot be used (at most 100)",
        "redacted": "how many secrets were redacted, by kind",
        "sequence": "the store's sequence number afterwards",
        "seconds": "how long reading and writing took",
        "embedded": "passages that got a vector now",
        "unembedded": "passages still without one",
        "embed_seconds": "how long that took",
        "notes": NOTES,
    },
    "ProblemRow": {
        "path": "the file, control characters escaped",
        "error": "what was wrong with it",
    },
}
