"""Dated facts: which are of one thing, which holds when, and which one answers a question."""
