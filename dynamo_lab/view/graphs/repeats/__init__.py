"""Unrolled loops and repeated blocks of a graph."""
