"""Where a deployment is: the server, as libpq is told of it, and the schema."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from quipu.errors import InvalidInput
from quipu.store.addresses import shown

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Address:
    """`conninfo` is libpq's and may hold a password; `shown` is what messages may hold."""

    conninfo: str = field(repr=False)
    schema: str
    shown: str


def read_address(url: str) -> Address:
    """The address that `url` is; InvalidInput, which holds no password, when it is none."""
    server, _, query = url.partition("?")
    options = parse_qsl(query, keep_blank_values=True)
    schema = dict(options).get("schema", "quipu")
    if not _NAME.fullmatch(schema):
        raise InvalidInput(
            f"the schema {schema!r} cannot be used: give a name of lower-case letters, digits and "
            "underscores, as in ?schema=notes"
        )
    _, _, rest = server.partition("://")
    login, _, path = rest.partition("/")
    rest_of_options = urlencode([o for o in options if o[0] != "schema"], quote_via=quote)
    try:
        if login.count("@") > 1 or "@" in path or "@" in query:
            raise ProgrammingError
        known = conninfo_to_dict(f"postgresql://{rest}?{rest_of_options}")
        port = str(known.get("port") or "")
        if not all(each.isdecimal() for each in port.split(",") if each):
            raise ProgrammingError
        defaults = {"connect_timeout": 10, "application_name": "quipu"}
        conninfo = make_conninfo("", **(defaults | known))
    except ProgrammingError:
        # libpq's own words quote the part that it cannot read, which may be the password.
        raise InvalidInput(
            f"{shown(url)!r} is no address of a PostgreSQL database: write "
            "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with each of @ / ? # % : in a "
            "password as %40 %2F %3F %23 %25 %3A (or leave the password out: PGPASSWORD and "
            "~/.pgpass are read)"
        ) from None
    return Address(conninfo, schema, shown(url))
