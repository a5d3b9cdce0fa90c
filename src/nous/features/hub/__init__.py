"""What devices give a hub and take from it."""
