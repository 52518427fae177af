"""The tables. `PRAGMA user_version` says how far a file has come: 6 is what 0.1.0 made.

`support` is the memory itself: one row a period of support, for every kind of record. Its
`near`, `far` and `label` are what its kind is looked up by: a relation's source, target and type;
a fact's subject and predicate (`label`); an episode's source reference, observation time (`far`)
and source type. Numbered chunks and vectors have keys of one integer: the namespace (or space)
above 40 bits of the chunk's number.
"""

from typing import Any

KEY_BITS = 40

NUMBER_MASK = (1 << KEY_BITS) - 1
"""What a key has of the chunk's number."""

APPLICATION_ID = 0x51756970
"""Marks a file as Quipu's ("Quip"); files made before there was a mark have none."""

_RECORDS = """
CREATE TABLE file (id TEXT NOT NULL);
INSERT INTO file VALUES (lower(hex(randomblob(16))));
CREATE TABLE namespace (
    ns INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    sequence INTEGER NOT NULL DEFAULT 0,
    next_number INTEGER NOT NULL DEFAULT 0,
    next_segment INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE support (
    row INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL REFERENCES namespace,
    kind INTEGER NOT NULL,
    record_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    known_until TEXT,
    chunk_ids TEXT NOT NULL,
    near TEXT,
    far TEXT,
    label TEXT,
    body BLOB NOT NULL
);
CREATE INDEX support_record ON support (ns, kind, record_id);
CREATE INDEX support_episode ON support (ns, episode_id);
CREATE INDEX episode_source ON support (ns, near) WHERE kind = 0;
CREATE INDEX relation_out ON support (ns, near, label, far, record_id) WHERE kind = 3;
CREATE INDEX relation_in ON support (ns, far, label, near, record_id) WHERE kind = 3;
CREATE INDEX fact_subject ON support (ns, near, label) WHERE kind = 4;
CREATE INDEX fact_predicate ON support (ns, label) WHERE kind = 4;
CREATE TABLE name (
    ns INTEGER NOT NULL REFERENCES namespace,
    key TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    support INTEGER NOT NULL REFERENCES support ON DELETE CASCADE,
    PRIMARY KEY (ns, key, entity_id, support)
) WITHOUT ROWID;
CREATE INDEX name_support ON name (support);
CREATE TABLE chunk (
    key INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL REFERENCES namespace,
    live INTEGER NOT NULL,
    chunk_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    profile TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest BLOB NOT NULL,
    support INTEGER NOT NULL REFERENCES support ON DELETE CASCADE
);
CREATE UNIQUE INDEX chunk_live ON chunk (ns, chunk_id) WHERE live = 1;
CREATE INDEX chunk_document ON chunk (ns, document_id, position) WHERE live = 1;
CREATE INDEX chunk_support ON chunk (support);
CREATE TABLE chunk_columns (
    key INTEGER PRIMARY KEY REFERENCES chunk ON DELETE CASCADE,
    columns BLOB NOT NULL
);
CREATE TABLE change (
    ns INTEGER NOT NULL REFERENCES namespace,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    PRIMARY KEY (ns, sequence)
) WITHOUT ROWID;
CREATE TABLE segment (
    ns INTEGER NOT NULL REFERENCES namespace,
    segment INTEGER NOT NULL,
    size INTEGER NOT NULL,
    dead_count INTEGER NOT NULL,
    arrays BLOB NOT NULL,
    dead BLOB NOT NULL,
    PRIMARY KEY (ns, segment)
);
CREATE TABLE segment_field (
    ns INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    field TEXT NOT NULL,
    row_width INTEGER NOT NULL,
    tf_width INTEGER NOT NULL,
    lengths BLOB NOT NULL,
    directory BLOB NOT NULL,
    PRIMARY KEY (ns, segment, field),
    FOREIGN KEY (ns, segment) REFERENCES segment ON DELETE CASCADE
);
CREATE TABLE posting_page (
    ns INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    field TEXT NOT NULL,
    page INTEGER NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (ns, segment, field, page),
    FOREIGN KEY (ns, segment, field) REFERENCES segment_field ON DELETE CASCADE
);
"""

_VECTORS = """
CREATE TABLE space (
    space INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL REFERENCES namespace,
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vectors INTEGER NOT NULL DEFAULT 0,
    UNIQUE (ns, name)
);
CREATE TABLE vector (key INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE part (
    key INTEGER PRIMARY KEY REFERENCES vector ON DELETE CASCADE,
    parts BLOB NOT NULL
);
CREATE TRIGGER vector_came AFTER INSERT ON vector BEGIN
    UPDATE space SET vectors = vectors + 1 WHERE space = new.key >> 40;
END;
CREATE TRIGGER vector_went AFTER DELETE ON vector BEGIN
    UPDATE space SET vectors = vectors - 1 WHERE space = old.key >> 40;
END;
"""

# While nothing ends, what a reader has read stays true and only grows (`known_records`).
_COUNTED_ENDS = """
CREATE TABLE ending (
    ns INTEGER PRIMARY KEY REFERENCES namespace,
    count INTEGER NOT NULL
);
""" + "".join(
    f"""
CREATE TRIGGER {name} AFTER {event} BEGIN
    INSERT INTO ending VALUES (old.ns, 1) ON CONFLICT (ns) DO UPDATE SET count = count + 1;
END;
"""
    for name, event in (
        ("support_ended", "UPDATE OF known_until ON support"),
        ("support_went", "DELETE ON support"),
        ("chunk_ended", "UPDATE OF live ON chunk"),
        ("chunk_went", "DELETE ON chunk"),
    )
)

_JOBS = """
CREATE TABLE IF NOT EXISTS job (
    ns INTEGER NOT NULL REFERENCES namespace,
    job INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    live INTEGER NOT NULL,
    worker TEXT NOT NULL,
    seal BLOB NOT NULL,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS job_number ON job (ns, job);
CREATE INDEX IF NOT EXISTS job_named ON job (ns, job_id);
CREATE INDEX IF NOT EXISTS job_live ON job (ns, job) WHERE live = 1;
CREATE TABLE IF NOT EXISTS job_payload (
    ns INTEGER NOT NULL,
    job INTEGER NOT NULL,
    payload BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS job_payload_number ON job_payload (ns, job);
"""

OLDEST = 6
"""The version that 0.1.0 made: one of before is of no release. It holds no jobs."""

LATEST = 7


def version(connection: Any) -> int:
    """How far the file has come; 0 for a new one."""
    return connection.execute("PRAGMA user_version").get


def migrate(connection: Any) -> None:
    """Bring a file to the latest version, whole or not at all; other processes may try it too."""
    if version(connection) == LATEST:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not version(connection):
            connection.execute(_RECORDS + _VECTORS + _COUNTED_ENDS)
        if version(connection) < LATEST:
            connection.execute(_JOBS)
        connection.execute(f"PRAGMA user_version = {LATEST}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
