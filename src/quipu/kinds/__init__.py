"""What Quipu knows of each kind of source: a folder a kind, strangers to each other."""
