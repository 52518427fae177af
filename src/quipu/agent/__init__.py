"""A chat over a memory: with a language model that uses tools, or without one."""
