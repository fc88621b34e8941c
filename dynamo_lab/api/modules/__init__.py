"""The tree of the modules, as an answer."""
