"""Trials that try to break Quipu: `python -m bench torture`, or `make torture`.

A trial is a module with a class that has `case(number, dice, hands)`: everything about a case
follows from the seed and its number, so a case that failed can be run again alone.
"""
