"""Files as every stage keeps them: for their owner's eyes, and with checksums."""
