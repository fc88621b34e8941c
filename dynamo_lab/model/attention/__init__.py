"""Attention: calls of `scaled_dot_product_attention`, and PyTorch's rules for their kernels."""
