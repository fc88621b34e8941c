"""The work of kernels: bytes and operations, counted from what the recording says of them."""
