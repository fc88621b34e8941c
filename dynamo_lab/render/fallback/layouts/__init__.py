"""Layouts in the script-free HTML."""
