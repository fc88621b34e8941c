"""A planned training step as it is shown."""
