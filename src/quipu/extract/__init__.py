"""Documents to claims: the graph that is read without a model.

Fill a `Catalogue` with the entities of every document (`entities_of`), then ask `claims_of` for
what each one asserts.
"""

from quipu.extract.asserting import Unresolved
from quipu.extract.catalogue import Catalogue
from quipu.extract.claims import Extracted, claims_of
from quipu.extract.entities import entities_of

__all__ = ["Catalogue", "Extracted", "Unresolved", "claims_of", "entities_of"]
