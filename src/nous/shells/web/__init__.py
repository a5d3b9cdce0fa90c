"""The HTTP door: who may come in, what can be asked, and the panel's files."""
