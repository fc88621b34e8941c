"""Quantization as shown."""
