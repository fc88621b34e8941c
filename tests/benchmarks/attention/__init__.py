"""FlashAttention on a GPU."""
