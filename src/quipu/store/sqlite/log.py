"""The change log."""

from quipu.store.sqlite.database import Database


def log(database: Database, lines: list[tuple[str, str, str]]) -> int:
    """Append lines (kind, record id, operation) to the change log; the sequence after them."""
    ns = database.ns
    before = database.value("SELECT sequence FROM namespace WHERE ns = ?", ns)
    if lines:
        database.run_many(
            "INSERT INTO change VALUES (?, ?, ?, ?, ?)",
            ((ns, before + n, *line) for n, line in enumerate(lines, 1)),
        )
        database.run("UPDATE namespace SET sequence = ? WHERE ns = ?", before + len(lines), ns)
    return before + len(lines)
