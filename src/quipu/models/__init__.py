"""Remote language and embedding models: how they are named, reached, paid for and given up on.

An option, never a need. Everything that is said to a model goes through `calling`: a budget, a
circuit breaker and the official `openai` client, which retries and is imported with the first call;
what comes back is read strictly, for a server may be slow, wrong or hostile.
"""
