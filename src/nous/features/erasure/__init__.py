"""Erasing for good, and looking for secrets that are already stored."""
