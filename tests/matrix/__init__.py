"""The matrix: corners of `torch.compile`, each with a small program and what is shown of it."""
