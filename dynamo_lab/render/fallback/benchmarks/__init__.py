"""Benchmarks in the script-free HTML."""
