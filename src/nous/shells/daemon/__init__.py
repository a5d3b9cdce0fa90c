"""The daemon: what it does all day, its parts, its start and its end."""
