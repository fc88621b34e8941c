"""A kernel as text: a target has a file of its loops and one of its words."""
