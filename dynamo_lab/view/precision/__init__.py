"""A program in several precisions, in words."""
