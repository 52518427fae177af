"""Memory without being asked: clients are set up once; what is said in them is kept, and told."""
