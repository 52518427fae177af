"""What every part of a memory is given: its store, home, configuration, models and clock."""
