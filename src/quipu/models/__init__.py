"""Remote language and embedding models: how they are named, reached, paid for and given up on.

An option, never a need. Everything that is said to a model goes through `calling`: time-outs,
retries with back-off, a budget and a circuit breaker; what comes back is read strictly, for a
server may be slow, wrong or hostile. The official `openai` client is imported when the first call
is made.
"""
