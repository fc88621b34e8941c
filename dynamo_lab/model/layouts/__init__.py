"""Where a network's values lie in memory: what the compiler chose, and what was tried."""
