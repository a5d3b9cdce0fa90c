"""Review: what only a person can decide, and taking decisions back."""
