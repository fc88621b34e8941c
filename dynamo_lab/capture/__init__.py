"""How we know: probes on the compiler's own entry points.

The only room that touches private torch.
"""
