"""How the memory is: figures, projects, settings."""
