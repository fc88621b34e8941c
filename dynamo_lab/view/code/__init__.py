"""The user's code, line by line."""
