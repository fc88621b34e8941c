"""The fast path of transformer modules at 0, 50 and 80 % padding."""
