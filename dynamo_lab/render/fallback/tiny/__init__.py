"""A planned training step in the script-free HTML."""
