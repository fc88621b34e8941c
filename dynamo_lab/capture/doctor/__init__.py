"""Whether this machine has what recording needs, checked without importing PyTorch."""
