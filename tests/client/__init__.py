"""The real Claude Code client, run against a stub of its API on the loopback interface."""
