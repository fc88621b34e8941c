"""How benchmarks look in a terminal."""
