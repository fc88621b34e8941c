"""A program in several precisions, in the script-free HTML."""
