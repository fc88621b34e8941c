"""How assembly is recorded."""
