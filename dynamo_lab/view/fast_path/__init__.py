"""The fast path of transformer modules in words."""
