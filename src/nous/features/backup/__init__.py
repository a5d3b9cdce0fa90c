"""Copies of the database, and its way to a server."""
