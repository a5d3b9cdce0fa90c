"""The edges: command line, HTTP, hooks."""
