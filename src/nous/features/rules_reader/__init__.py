"""Reading a session by rules, without a model."""
