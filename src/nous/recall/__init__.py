"""From memories to the model: search and packets."""
