"""How ahead-of-time packages are recorded."""
