"""Documents to claims: the graph that is read without a model.

`local_claims` is what a document asserts by itself. For what it says of others, fill a
`Catalogue` with every document and ask for its `linked_claims`.
"""

from quipu.extract.acronyms import defined_names
from quipu.extract.asserting import Unresolved
from quipu.extract.catalogue import Catalogue, Defined, defined_by
from quipu.extract.claims import ExtractedClaims, linked_claims, local_claims
from quipu.extract.entities import entities_of
from quipu.extract.fact_claims import told_facts
from quipu.extract.statements import BY_RULE, Spoken, StatementReading

__all__ = [
    "BY_RULE",
    "Catalogue",
    "Defined",
    "ExtractedClaims",
    "Spoken",
    "StatementReading",
    "Unresolved",
    "defined_by",
    "defined_names",
    "entities_of",
    "linked_claims",
    "local_claims",
    "told_facts",
]
