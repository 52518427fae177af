"""What ships for tests: fakes that keep the promises of their ports."""
