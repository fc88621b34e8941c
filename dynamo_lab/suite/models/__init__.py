"""The list of models: where each comes from, and the program that it makes."""
