"""The client's own memory as a source: files that its model writes for itself are followed, and never written to."""
