"""The brief of a project: the few lines that a session begins with, each resting on memories that it names."""
