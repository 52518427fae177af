"""Measures what Quipu does: `figures` (pure formulas), `retrieval` (a labelled set, searched),
`answers` (repositories with questions), `golden` (questions with expected evidence).
"""
