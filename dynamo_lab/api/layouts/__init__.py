"""Layouts as the user asks about them."""
