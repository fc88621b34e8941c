"""Recordings of choices."""
