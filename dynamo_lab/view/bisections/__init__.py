"""Where a compiled program differs from eager, in words."""
