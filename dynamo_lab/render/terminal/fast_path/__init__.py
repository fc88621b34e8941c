"""The fast path of transformer modules in the terminal."""
