"""The first lines: what was recorded, in a sentence."""
