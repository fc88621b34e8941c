"""How graph passes are recorded."""
