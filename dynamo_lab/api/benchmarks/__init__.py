"""Benchmarks as the user gets them."""
