"""The reader's code changed as text, and lowered again without a run."""
