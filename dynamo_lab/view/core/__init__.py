"""What all views share: places, names, words, sizes, links."""
