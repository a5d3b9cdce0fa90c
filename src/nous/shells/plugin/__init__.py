"""The plugin in the user's Claude Code: put in, and taken out again."""
