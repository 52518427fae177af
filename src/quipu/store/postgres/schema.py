"""The tables, as numbered migrations; `deployment.version` says how far a schema has come.

Every key begins with the namespace's number `ns`. `namespace` gives names their numbers,
`deployment` has one row. The tables that 0.1.0 made are partitioned by `ns` and stay so.
"""

import logging
import struct
from contextlib import suppress

import numpy as np
from psycopg import Connection, errors, sql

from quipu.errors import CorruptStore, InvalidInput, NewerStore, StoreUnavailable
from quipu.store.backend import CHANGE, COUNTERS, TABLES, VECTOR, Row, Table
from quipu.store.postgres.address import Address

_log = logging.getLogger("quipu")
OLDEST_SERVER = 140_000
"""The oldest release that is tested for, as libpq counts them: 14.0."""

_TEXT = 'text COLLATE "C" NOT NULL'
_OR_NULL = 'text COLLATE "C"'
_BLOB = "bytea NOT NULL"
_INT = "bigint NOT NULL"
_SMALL = "smallint NOT NULL"

COUNTED = (*COUNTERS, "ended")
_KINDS = {
    _TEXT: "record_id episode_id recorded_at chunk_ids key entity_id chunk_id document_id profile"
    " operation field name job_id worker",
    _OR_NULL: "known_until near far label",
    _BLOB: "body digest columns arrays dead lengths directory postings vector parts seal payload",
    _SMALL: "kind live",
}
"""Which columns hold what; all others hold numbers."""
_KIND_OF = {column: kind for kind, columns in _KINDS.items() for column in columns.split()}


def _declared(table: Table) -> tuple[tuple[str, str], ...]:
    kinds = _KIND_OF | ({"kind": _TEXT} if table is CHANGE else {})
    return tuple((column, kinds.get(column, _INT)) for column in table.columns)


_COLUMNS = {
    "counter": tuple((counter, _INT) for counter in COUNTED),
    **{table.name: _declared(table) for table in TABLES},
}
_LATER = ("job", "job_payload")
"""Tables that the first migration does not make."""

_KEYS = {
    "counter": (),
    "vector_halves": VECTOR.key,
    **{table.name: table.key for table in TABLES},
}

_INDEXES = (
    ("support", ("kind", "record_id"), ""),
    ("support", ("episode_id",), ""),
    ("support", ("near",), "WHERE kind = 0"),
    ("support", ("near", "label", "far", "record_id"), "WHERE kind = 3"),
    ("support", ("far", "label", "near", "record_id"), "WHERE kind = 3"),
    ("support", ("near", "label"), "WHERE kind = 4"),
    ("support", ("label",), "WHERE kind = 4"),
    ("name", ("support",), ""),
    ("chunk", ("document_id", "position"), "WHERE live = 1"),
    ("chunk", ("support",), ""),
)

_DENSE = (
    ("segment", "arrays"),
    ("segment_field", "lengths"),
    ("segment_field", "directory"),
    ("posting_page", "postings"),
    ("vector", "vector"),
    ("part", "parts"),
)
"""What does not get smaller when it is compressed, so that trying costs time alone."""

_TYPES = {_TEXT: "text", _OR_NULL: "text", _BLOB: "bytea", _INT: "int8", _SMALL: "int2"}
TYPES = {
    table: {column: _TYPES[kind] for column, kind in columns} for table, columns in _COLUMNS.items()
}
"""What each column of a table holds, as the server calls it."""


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{column}"' for column in ("ns", *columns))


def _table(name: str, columns: tuple[tuple[str, str], ...]) -> str:
    declared = "".join(f', "{column}" {kind}' for column, kind in columns)
    return (
        f"CREATE TABLE {{schema}}.{name} (ns integer NOT NULL{declared},"
        f" PRIMARY KEY ({_quoted(_KEYS[name])}));\n"
    )


_RECORDS = "".join(
    (
        "CREATE TABLE {schema}.deployment (id text NOT NULL, version integer NOT NULL);\n",
        "INSERT INTO {schema}.deployment VALUES (replace(gen_random_uuid()::text, '-', ''), 0);\n",
        "CREATE TABLE {schema}.namespace (ns integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,",
        ' name text COLLATE "C" NOT NULL UNIQUE);\n',
        *(_table(name, columns) for name, columns in _COLUMNS.items() if name not in _LATER),
        *(
            f"CREATE INDEX ON {{schema}}.{table} ({_quoted(columns)}) {where};\n"
            for table, columns, where in _INDEXES
        ),
        'CREATE UNIQUE INDEX ON {schema}.chunk (ns, "chunk_id") WHERE live = 1;\n',
        *(
            f'ALTER TABLE {{schema}}.{table} ALTER "{column}" SET STORAGE EXTERNAL;\n'
            for table, column in _DENSE
        ),
    )
)

# From here on part vectors may be packed (`index/parts.py`), which earlier programs cannot read.
_PACKED = "SELECT 1"

_JOBS = (
    "".join(_table(name, _COLUMNS[name]) for name in _LATER)
    + 'CREATE INDEX ON {schema}.job (ns, "job_id");\n'
    + 'CREATE INDEX ON {schema}.job (ns, "job") WHERE live = 1;\n'
)

_AS_HALVES = _table(
    "vector_halves", (("space", _INT), ("number", _INT), ("vector", "halfvec NOT NULL"))
)
_IN_PLACE = "DROP TABLE {schema}.vector;\nALTER TABLE {schema}.vector_halves RENAME TO vector;\n"

# From here on vectors are pgvector's (`_bring_over`); an early deployment of the fourth kept bytes.
MIGRATIONS = (_RECORDS, _PACKED, _JOBS, "SELECT 1", "SELECT 1")
"""Migration n takes a schema from version n - 1 to n. The columns that a released one makes are
never changed."""

_REACHED = b"SELECT to_regtype('halfvec') IS NOT NULL"
_OLDEST_PGVECTOR = (0, 8)
"""The first release that goes on looking in its index where a filter leaves too few."""
_PATIENCE = "3s"  # in which who comes after waits too
_MOVED = 5_000  # vectors that are moved at a time

WIDEST = 16_000  # numbers that a halfvec has room for
LATEST = len(MIGRATIONS)
_WITH_JOBS = 3


def require_server(connection: Connection[Row], address: Address) -> None:
    """StoreUnavailable for a server that is too old or a database that holds no Unicode."""
    if connection.info.server_version < OLDEST_SERVER:
        release = connection.info.parameter_status("server_version")
        raise StoreUnavailable(
            f"the server of {address.shown!r} is PostgreSQL {release}, and "
            f"{OLDEST_SERVER // 10_000} is the oldest that is tested: upgrade it"
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnavailable(
            f"the database of {address.shown!r} keeps text as {encoding!r}: make one with "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )


def version(connection: Connection[Row], address: Address) -> int:
    """How far the schema has come; 0 when it is not there. CorruptStore when tables are missing,
    StoreUnavailable when they are somebody else's."""
    there = _tables(connection, address)
    if not there:
        return 0
    if "deployment" not in there:
        raise StoreUnavailable(
            f"the schema {address.schema!r} of {address.shown!r} holds the table "
            f"{min(there)!r} and no deployment of Quipu: name another schema with ?schema=NAME"
        )
    found = connection.execute(_said(address, "SELECT version FROM {schema}.deployment")).fetchall()
    later = _LATER if found and found[0][0] < _WITH_JOBS else ()
    missing = sorted({"namespace", *_COLUMNS} - there - {*later})
    if missing or len(found) != 1:
        raise CorruptStore(
            f"the schema {address.schema!r} of {address.shown!r} is half there (missing: "
            f"{', '.join(missing) or 'its version'}): it was restored or removed in part; restore "
            "it whole, or drop it and index again"
        )
    return int(found[0][0])


def _tables(connection: Connection[Row], address: Address) -> set[str]:
    asked = (
        b"SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        b" WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    )
    return {name for (name,) in connection.execute(asked, (address.schema,)).fetchall()}


def require_known(found: int, address: Address) -> None:
    """NewerStore for a schema that a newer Quipu made."""
    if found > LATEST:
        raise NewerStore(
            f"{address.shown!r} is a deployment of version {found}, and this Quipu knows "
            f"{LATEST}: update Quipu (pip install -U quipu-memory)"
        )


def migrate(connection: Connection[Row], address: Address) -> int:
    """Bring the schema to the latest version, whole or not at all; others may try it too. Return
    how many vectors were kept as bytes, and are pgvector's now."""
    found = version(connection, address)
    if found == LATEST:
        return 0
    _require_extension(connection, address)
    try:
        moved = _bring_further(connection, address)
    except errors.InsufficientPrivilege as error:
        if not found:
            raise
        raise StoreUnavailable(
            f"{address.shown!r} is a deployment of version {found} of {LATEST}, which the role "
            f"{connection.info.user!r} may not bring further: have its owner run any command that "
            "writes, and grant the roles their rights again (docs/how-to/postgres.md)"
        ) from error
    if moved:
        _log.warning("%s: %d vectors were brought into pgvector", address.shown, moved)
    return moved


def _bring_further(connection: Connection[Row], address: Address) -> int:
    """Migrate in one transaction; how many vectors were kept as bytes."""
    with connection.transaction():
        _lock(connection, address)
        found = version(connection, address)
        require_known(found, address)
        if not found:
            _make_schema(connection, address)
        for number in range(found, LATEST):
            connection.execute(_said(address, MIGRATIONS[number]))
            update = "UPDATE {schema}.deployment SET version = %s"
            connection.execute(_said(address, update), (number + 1,))
        if found < LATEST and not _has_halves(connection, address):
            return _bring_over(connection, address)
    return 0


def _lock(connection: Connection[Row], address: Address) -> None:
    """Wait until nobody else changes the schema, and let nobody until the transaction ends."""
    lock = b"SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
    connection.execute(lock, (f"quipu {address.schema}",))


def _make_schema(connection: Connection[Row], address: Address) -> None:
    """Unless an administrator has made it: who may not make schemas may still fill one."""
    asked = b"SELECT 1 FROM pg_namespace WHERE nspname = %s"
    if not connection.execute(asked, (address.schema,)).fetchall():
        try:
            connection.execute(_said(address, "CREATE SCHEMA {schema}"))
        except errors.InsufficientPrivilege as error:
            user = connection.info.user
            raise StoreUnavailable(
                f"the role {user!r} may not make the schema {address.schema!r} in "
                f"{address.shown!r}: have its administrator run CREATE SCHEMA {address.schema} "
                f"AUTHORIZATION {user}"
            ) from error


def _has_halves(connection: Connection[Row], address: Address) -> bool:
    """Whether vectors are kept as pgvector's `halfvec`, and not as bytes."""
    asked = (
        b"SELECT format_type(atttypid, NULL) FROM pg_attribute"
        b" WHERE attrelid = to_regclass(%s) AND attname = 'vector'"
    )
    named = sql.Identifier(address.schema, "vector").as_string()
    found = connection.execute(asked, (named,)).fetchall()
    if not found:
        raise CorruptStore(
            f"{address.shown!r} has lost its vectors (DROP EXTENSION vector takes them along): "
            "restore a backup (pg_restore), or drop the schema and index again"
        )
    return found[0][0].endswith("halfvec")


def require_vectors(connection: Connection[Row], address: Address) -> None:
    """CorruptStore where the vectors are gone, StoreUnavailable where the role does not see
    pgvector's types and operators by their names."""
    _has_halves(connection, address)
    if connection.execute(_REACHED).fetchall() != [(True,)]:
        raise StoreUnavailable(
            f"the vectors of {address.shown!r} are pgvector's, which the role "
            f"{connection.info.user!r} does not find: have an administrator put the schema of the "
            "extension on its search_path (ALTER ROLE … SET search_path = …)"
        )


def _require_extension(connection: Connection[Row], address: Address) -> None:
    """StoreUnavailable unless pgvector is there, new enough and found by its names; it is made
    where that is allowed."""
    asked = (
        b"SELECT coalesce(installed_version, default_version), installed_version IS NOT NULL"
        b" FROM pg_available_extensions WHERE name = 'vector'"
    )
    for release, is_there in connection.execute(asked).fetchall():
        if tuple(int(n) for n in release.split(".")[:2]) < _OLDEST_PGVECTOR:
            continue
        if not is_there:  # the role may not make it, or another does at this moment
            with suppress(errors.InsufficientPrivilege, errors.UniqueViolation):
                connection.execute(b"CREATE EXTENSION IF NOT EXISTS vector")
        if connection.execute(_REACHED).fetchall() == [(True,)]:
            return
    raise StoreUnavailable(
        f"the role {connection.info.user!r} finds no pgvector in {address.shown!r}, which keeps "
        "the vectors: install pgvector 0.8 or later on the server and let an administrator run "
        "CREATE EXTENSION vector in the database, in a schema of the role's search_path"
    )


def _bring_over(connection: Connection[Row], address: Address) -> int:
    """Keep vectors as pgvector's; how many were kept as bytes."""
    # Who writes a vector meanwhile would write it where it is dropped.
    connection.execute(f"SET LOCAL lock_timeout = '{_PATIENCE}'".encode())
    connection.execute(_said(address, "LOCK TABLE {schema}.vector IN ACCESS EXCLUSIVE MODE"))
    connection.execute(_said(address, _AS_HALVES))
    moved = _move_vectors(connection, address)
    connection.execute(_said(address, _IN_PLACE))
    return moved


def _move_vectors(connection: Connection[Row], address: Address) -> int:
    """Copy all vectors into the new table; how many there were."""
    page = _said(
        address,
        "SELECT ns, space, number, vector FROM {schema}.vector"
        f" WHERE (ns, space, number) > (%s, %s, %s) ORDER BY ns, space, number LIMIT {_MOVED}",
    )
    copied = _said(
        address,
        "COPY {schema}.vector_halves (ns, space, number, vector) FROM STDIN (FORMAT BINARY)",
    )
    after, moved = (-1, -1, -1), 0
    cursor = connection.cursor(binary=True)
    while rows := cursor.execute(page, after).fetchall():
        with cursor.copy(copied) as copying:
            copying.set_types(("int4", "int8", "int8", "bytea"))
            for ns, space, number, vector in rows:
                copying.write_row((ns, space, number, to_halfvec(vector)))
        after, moved = rows[-1][:3], moved + len(rows)
    return moved


def to_halfvec(vector: bytes) -> bytes:
    """What the server reads as a halfvec, of the bytes of float16[d]."""
    if len(vector) > 2 * WIDEST:
        raise InvalidInput(
            f"a vector of {len(vector) // 2} numbers cannot be kept: pgvector has room for {WIDEST}"
        )
    return struct.pack(">hh", len(vector) // 2, 0) + _turned(vector)


def of_halfvec(sent: bytes) -> bytes:
    """The bytes of float16[d] of what the server sends of a halfvec."""
    return _turned(sent[4:])


def _turned(numbers: bytes) -> bytes:
    return np.frombuffer(numbers, dtype="<u2").byteswap().tobytes()


def _said(address: Address, text: str) -> bytes:
    """The statements, of this deployment's schema."""
    return text.replace("{schema}", sql.Identifier(address.schema).as_string()).encode()
