"""The tree of the reader's modules."""
