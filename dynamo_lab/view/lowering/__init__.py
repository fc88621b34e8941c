"""What to show of lowering to loop IR."""
