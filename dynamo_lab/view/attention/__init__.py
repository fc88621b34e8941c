"""Attention as shown: which kernel runs on which target, and why not each of the others."""
