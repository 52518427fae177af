"""A fake embedder for the tests of other packages."""
