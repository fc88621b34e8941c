"""A kernel as text, a file a target."""
