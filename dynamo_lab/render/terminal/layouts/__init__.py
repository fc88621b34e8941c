"""Layouts in a terminal."""
