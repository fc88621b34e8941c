"""Quantization as the user gets it."""
