"""How to read each view."""
