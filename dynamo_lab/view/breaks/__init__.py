"""What to show of graph breaks."""
