"""What a compiled step of the optimizer gains over an eager one, in training a compiled model."""
