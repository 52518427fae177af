"""Runs the write way: over a folder (`run`), over ready passages (`passages`), by hand.

`survey` says what changed, `prepare` reads one file (pure, in worker processes), `links` resolves
references across files, `embedding` gives vectors to what lacks them, `report` says what was done.
"""
