"""The magics and the settings of a notebook."""
