"""Named things and what is said of them."""
