"""What agents use: entries, recall, packs, audits, a hand-kept graph, and a chat."""
