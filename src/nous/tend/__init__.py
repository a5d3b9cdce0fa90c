"""Keeping memories true and the store healthy."""
