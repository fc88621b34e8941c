"""What to show of fusion and memory."""
