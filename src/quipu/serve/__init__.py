"""The doors: `cli` for people and scripts. Each door joins `Memory` to one kind of caller."""
