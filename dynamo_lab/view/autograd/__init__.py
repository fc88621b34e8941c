"""What to show of ahead-of-time autograd."""
