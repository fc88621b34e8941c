"""What to show of graph passes."""
