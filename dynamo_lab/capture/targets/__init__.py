"""How targets are recorded."""
