"""A program in several precisions."""
