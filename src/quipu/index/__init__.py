"""Words, names and vectors, once for every store; a backend only keeps their blobs."""
