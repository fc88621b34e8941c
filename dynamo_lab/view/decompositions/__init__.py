"""What to show of decompositions."""
