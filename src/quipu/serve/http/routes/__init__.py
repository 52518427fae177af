"""The routes: each reads a typed request, calls the memory of its caller, gives a typed result."""
