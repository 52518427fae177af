"""Evidence-first graph memory."""
