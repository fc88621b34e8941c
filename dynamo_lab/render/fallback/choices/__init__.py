"""Choices in the script-free HTML."""
