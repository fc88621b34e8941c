"""The fast path of transformer modules: what PyTorch's own `forward` decided, asked of it."""
