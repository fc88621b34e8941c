"""Programs from packages of PyPI, each with arguments: what captures are counted over."""
