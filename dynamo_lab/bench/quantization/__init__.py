"""Quantization: each scheme of torchao made, compared, recorded and timed."""
