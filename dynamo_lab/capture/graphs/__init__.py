"""How graphs are recorded."""
