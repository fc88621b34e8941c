"""A program in several precisions, as the user asks about it."""
