"""A chat over a memory: with a language model that uses tools, or without one.

`python -m quipu.agent --rag` and `quipu chat` talk to it; `Agent` is the thing itself.
"""

from quipu.agents.chat.agent import Agent, CitedSource, Exchange

__all__ = ["Agent", "CitedSource", "Exchange"]
