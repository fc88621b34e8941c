"""What to show of graphs."""
