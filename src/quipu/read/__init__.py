"""Files to documents: `walk` finds them, `read_source` gets the bytes, `read_document` reads.

for entry in walk(root):                 # Entry | CredentialEntry | LeftOut | Problem
    source = read_source(entry)          # Source | Problem
    document = read_document(source)     # pure; raises InvalidInput for what is no text
"""

from quipu.read.document import read_document
from quipu.read.redact import redact
from quipu.read.source import (
    DEFAULT_MAX_BYTES,
    CredentialEntry,
    FileEntry,
    LeftOut,
    SourceFile,
    content_hash,
    git_blob_id,
    read_source,
)
from quipu.read.walk import walk, with_history

__all__ = [
    "DEFAULT_MAX_BYTES",
    "CredentialEntry",
    "FileEntry",
    "LeftOut",
    "SourceFile",
    "content_hash",
    "git_blob_id",
    "read_document",
    "read_source",
    "redact",
    "walk",
    "with_history",
]
