"""What the past advises: effectiveness of actions, recommendations, replay, derived numbers.

Everything here reads a `Graph` (through `case_base.py`) and nothing else; the linter forbids a way
from here to an index, so no advice rests on a vector alone.
"""
