"""Precision: what a program computes, and how fast, with less of it."""
