"""Script-free HTML, for notebooks without widgets."""
