"""Whether this machine has what recording needs, asked without importing PyTorch."""
