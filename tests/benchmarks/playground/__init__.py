"""From a changed text to its code."""
