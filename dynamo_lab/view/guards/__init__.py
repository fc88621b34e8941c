"""What to show of guards and dynamic shapes."""
