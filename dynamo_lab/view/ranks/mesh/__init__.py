"""Meshes, and what lies where on them."""
