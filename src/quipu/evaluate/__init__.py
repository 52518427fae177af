"""Measures what Quipu does: `figures` (pure formulas), `retrieval` (a labelled set, searched),
`golden` (questions with expected evidence), `validation` (what is wrong in a graph).
"""
