"""What hangs on a piece of code."""
