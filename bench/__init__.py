"""Reproducible measurements: `python -m bench`."""
