"""Memories as the log says they are: the read models and what keeps them up to date."""
