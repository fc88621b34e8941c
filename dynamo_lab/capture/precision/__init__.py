"""Precision: which operators a call runs, and the types that they give."""
