"""From transcripts to memories: capture, learn, project."""
