"""Memory joins the stages: open a store, index into it, ask it.

`handle` is the class itself; `home` finds the store and the folder its paths are relative to,
`lookup` turns what people write (an id, a path, `path:12-40`, a name) into records, `model` loads
the embedder when it is first needed, `status` says how the memory is.
"""

from quipu.handle.lookup import Passage
from quipu.handle.status import Status
from quipu.memory.memory import Memory

__all__ = ["Memory", "Passage", "Status"]
