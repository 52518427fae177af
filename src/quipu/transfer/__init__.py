"""Everything a memory holds, out to a file and in again, without loss (`export`, `import_`)."""

from quipu.transfer.export import export
from quipu.transfer.import_ import import_
from quipu.transfer.lines import Moved

__all__ = ["Moved", "export", "import_"]
