"""What the benchmarks share: their programs, how they take turns, and how they report."""
