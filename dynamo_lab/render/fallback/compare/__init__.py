"""Two recordings side by side, in HTML without scripts."""
