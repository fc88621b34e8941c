"""Jobs of several ranks, as a user holds them."""
