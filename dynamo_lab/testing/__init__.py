"""Checks of a recording, and the pytest fixture."""
