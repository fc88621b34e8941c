"""Layouts: why Inductor chooses channels last, and freezing without packed weights."""
