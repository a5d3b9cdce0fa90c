"""The log, what changed between two moments, and what happened day by day."""
