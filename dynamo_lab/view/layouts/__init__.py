"""Layouts as shown: a network with and without each choice."""
