"""How frames are recorded."""
