"""A model reads each session once: the request, the reading that comes back, and what it does to the log."""
