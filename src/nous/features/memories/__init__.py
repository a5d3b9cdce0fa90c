"""Memories: finding, reading, teaching and deciding about them."""
