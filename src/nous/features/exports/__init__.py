"""What leaves this machine as a file."""
