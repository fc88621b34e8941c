"""A program in several precisions, in the terminal."""
