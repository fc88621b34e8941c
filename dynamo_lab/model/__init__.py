"""Facts: what was recorded, as frozen structs. This room never imports torch."""
