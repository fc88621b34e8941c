"""How ahead-of-time autograd is recorded."""
