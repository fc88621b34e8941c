"""Benchmarks of programs: compile, check, time."""
