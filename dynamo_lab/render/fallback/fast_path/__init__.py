"""The fast path of transformer modules in the script-free HTML."""
