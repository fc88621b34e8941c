"""Attention: its calls in a program, and the settings under which a kernel is chosen for them."""
