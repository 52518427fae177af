"""Generators of the reference pages: each prints its page, and a test compares."""
