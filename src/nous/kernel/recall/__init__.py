"""From a question to memories: search, ranking, and what may be shown unasked."""
