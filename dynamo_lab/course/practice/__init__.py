"""Lessons of whole programs: what all the others taught, used together."""
