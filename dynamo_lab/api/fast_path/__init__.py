"""The fast path of transformer modules as the user asks about it."""
