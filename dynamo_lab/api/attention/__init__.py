"""A call of attention as the user asks about it."""
