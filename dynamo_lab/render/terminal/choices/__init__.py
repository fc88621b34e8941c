"""Choices in a terminal."""
