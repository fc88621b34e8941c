"""The fast path of transformer modules: who took it, and PyTorch's word where one did not."""
