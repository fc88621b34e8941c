"""Several recordings beside each other."""
