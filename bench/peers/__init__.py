"""Other systems beside this one: the same passages, weights and questions."""
