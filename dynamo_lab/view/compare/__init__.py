"""Several recordings side by side."""
