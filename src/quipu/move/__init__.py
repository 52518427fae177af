"""Everything a memory holds, out to a file and in again, without loss (`export`, `import_`)."""

from quipu.move.export import export
from quipu.move.import_ import import_
from quipu.move.lines import Moved

__all__ = ["Moved", "export", "import_"]
