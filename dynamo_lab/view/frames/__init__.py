"""What to show of frames."""
