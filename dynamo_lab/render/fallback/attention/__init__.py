"""Attention in the script-free HTML: its calls, and tables of choices."""
