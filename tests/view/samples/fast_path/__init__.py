"""Recordings of transformer modules."""
