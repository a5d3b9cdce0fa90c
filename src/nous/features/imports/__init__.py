"""What other clients and other memories left, taken in."""
