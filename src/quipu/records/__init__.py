"""Frozen data and pure rules; nothing here does I/O."""
