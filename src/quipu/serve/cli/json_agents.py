"""What the keys of the documents of `quipu mcp …`, `quipu chat` and `quipu audit` mean."""

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
    "Audit": {
        "subject": "the name that was asked for",
        "as_of": "the date whose state is asked",
        "known_at": "the instant by whose knowledge it is judged; null: now",
        "state": "what held then, by predicate and begin",
        "supersessions": "what took whose place",
        "contradictions": "what disagrees, both sides",
        "entries": "what was ever said, in the order of what happened",
        "left_out": "how many entries are beyond the limit",
        "text": "all of it as one page",
    },
    "Held": {
        "fact_id": "the statement's id",
        "subject": "whom or what it is about",
        "predicate": "how",
        "object": "what",
        "valid_from": "from when it holds, or null",
        "valid_to": "until when it holds; excluded; or null",
        "source_refs": "the sources that say so, or that say when it ended",
    },
    "Link": {
        "earlier": "the one statement, in words",
        "later": "the one that took its place, or disagrees",
        "earlier_id": "its id",
        "later_id": "the other's id",
    },
    "Overview": {
        "facts": "how many statements there are",
        "superseded": "how many of them another took the place of",
        "contradictions": "pairs that disagree, the first of them",
        "contradiction_count": "how many pairs disagree",
        "expired": "what is no longer recalled and still stored",
        "breakdown": "what each kind of source costs",
        "total_tokens": "what all passages cost, about",
        "recommendations": "what to do about it",
    },
    "Share": {
        "source": "the kind of source",
        "passages": "how many passages it has",
        "token_count": "about how many tokens",
        "percentage": "of all tokens",
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
