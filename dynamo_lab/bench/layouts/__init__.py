"""Layouts: a network compiled with and without each choice about where values lie."""
