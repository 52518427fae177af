"""Everything a memory holds, out to a file and in again (`export`, `import_`) or into another store
(`migrate`), without loss."""

from quipu.transfer.export import export
from quipu.transfer.import_ import import_
from quipu.transfer.lines import Moved
from quipu.transfer.migrate import Migrated, migrate

__all__ = ["Migrated", "Moved", "export", "import_", "migrate"]
