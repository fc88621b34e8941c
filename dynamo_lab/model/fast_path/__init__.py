"""The fast path of transformer modules: which calls took it, and PyTorch's word where one did not."""
