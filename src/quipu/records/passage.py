"""A ready passage: what is remembered whole, as its own document and its only chunk."""

import msgspec

from quipu.records.record import Properties


class PassageInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One passage to remember. `source_ref` names it; the same name again replaces it.

    `observed_at` is any ISO date; None is an unknown time, which sorts before every other.
    `profile` is "prose" or "code"; empty: told by the text.
    """

    source_ref: str
    text: str
    title: str = ""
    group: str = ""
    observed_at: str | None = None
    source_type: str = "manual_ingest"
    profile: str = ""
    properties: Properties = {}
