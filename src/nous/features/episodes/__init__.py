"""Sessions told by what happened in them."""
