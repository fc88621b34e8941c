"""How kernels are recorded."""
