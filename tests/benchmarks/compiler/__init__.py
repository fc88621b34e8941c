"""Our own compiler: how long an edit takes to run, and how fast its kernels are."""
