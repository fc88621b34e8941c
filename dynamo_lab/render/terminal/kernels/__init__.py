"""How kernels look in a terminal."""
