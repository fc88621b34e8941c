"""Logs in words: of the running process, and those that people paste elsewhere."""
