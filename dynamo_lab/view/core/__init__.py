"""What all views share: places, names, text, sizes, links."""
