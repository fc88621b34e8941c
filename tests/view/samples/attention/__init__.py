"""Samples of what PyTorch chooses in attention."""
