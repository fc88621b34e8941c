"""What to show of benchmarks."""
