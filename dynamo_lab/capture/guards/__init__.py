"""How guards and dynamic shapes are recorded."""
