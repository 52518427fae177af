"""Which records are one thing: claims of one record, merged things, and what might be merged."""

from quipu.resolve.authority import Authority, authorised
from quipu.resolve.claims import resolve
from quipu.resolve.merges import Decision, Merges, decisions, read_merges
from quipu.resolve.view import MergedView, Resolver, merged_view

__all__ = [
    "Authority",
    "Decision",
    "MergedView",
    "Merges",
    "Resolver",
    "authorised",
    "decisions",
    "merged_view",
    "read_merges",
    "resolve",
]
