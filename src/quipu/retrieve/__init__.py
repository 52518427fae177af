"""Ranking inside a plan."""
