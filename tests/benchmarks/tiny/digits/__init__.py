"""Accuracy of training in float32 and in int8, of all and of some parameters, on digits."""
