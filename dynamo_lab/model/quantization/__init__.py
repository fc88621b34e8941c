"""A model quantized by several schemes: what was found."""
