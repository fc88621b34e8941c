"""The reader's code, line by line."""
