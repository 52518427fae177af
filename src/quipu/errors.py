"""Every error Quipu raises, in three families.

QuipuError
├── Mistake                  the caller can mend it
│   ├── InvalidInput         a value, question, date or option that cannot be used
│   ├── InvalidConfig        an unknown key or a wrong type in the configuration
│   ├── UntrustedFolder      what a folder sets or holds that counts only once the user trusts it
│   ├── UnknownRecord        an id, path or name that the store does not hold
│   └── SpaceMismatch        a vector asked of an embedding space it does not belong to
├── Unavailable              something outside is missing, locked or full
│   ├── MissingExtra         an optional library; the message names its install command
│   ├── MissingModel         the weights of the local model
│   ├── ModelUnavailable     a remote model that failed, or whose key is missing
│   │   └── OverBudget       what it may spend is spent
│   ├── BrokenKind           a kind of source that another package brings and that does not load
│   ├── StoreUnavailable     locked, read-only, disk full, not there
│   └── NewerStore           written by a newer Quipu
└── BrokenPromise            Quipu or its data is wrong; never the caller's fault
    ├── CorruptStore         the database or an index file is damaged
    ├── WrongWeights         a weights file whose SHA-256 is not the expected one
    ├── Leakage              a chunk from outside the plan reached retrieval
    └── ContractViolation    a reply that breaks the answer contract

A message says what failed, with which value, and what to do next.
"""


class QuipuError(Exception):
    """The base of every error Quipu raises on purpose."""


class Mistake(QuipuError):
    """The caller can mend it; the command line exits 2."""


class InvalidInput(Mistake):
    """A value, question, date or option that cannot be used."""


class InvalidConfig(Mistake):
    """An unknown key or a wrong type in the configuration."""


class UntrustedFolder(Mistake):
    """What a folder sets or holds counts only once the user trusts it (`quipu trust`)."""


class UnknownRecord(Mistake):
    """An id, path or name that the store does not hold."""


class SpaceMismatch(Mistake):
    """A vector asked of an embedding space it does not belong to."""


class Unavailable(QuipuError):
    """Something outside Quipu is missing, locked or full."""


class MissingExtra(Unavailable):
    """An optional library is not installed; the message names its install command."""


class MissingModel(Unavailable):
    """The weights of the local model were not found."""


class ModelUnavailable(Unavailable):
    """A remote model failed, is not reached, or its key is missing."""


class OverBudget(ModelUnavailable):
    """A call to a remote model would pass what the configuration lets it spend."""


class BrokenKind(Unavailable):
    """A kind of source that cannot be loaded, or brings what another one has."""


class StoreUnavailable(Unavailable):
    """The database is locked, read-only, on a full disk, or not there."""


class NewerStore(Unavailable):
    """The database was written by a newer Quipu than this one."""


class BrokenPromise(QuipuError):
    """Quipu or its data is wrong; never the caller's fault."""


class CorruptStore(BrokenPromise):
    """The database or an index file is damaged."""


class WrongWeights(BrokenPromise):
    """A weights file whose SHA-256 is not the expected one."""


class Leakage(BrokenPromise):
    """A chunk from outside the plan reached retrieval."""


class ContractViolation(BrokenPromise):
    """A reply that breaks the answer contract."""
