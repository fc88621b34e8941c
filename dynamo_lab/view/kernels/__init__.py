"""What to show of kernels."""
