"""The conditions under which compiled code holds, and the symbols in them."""
