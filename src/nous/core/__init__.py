"""Pure values and functions: no files, no clock, no network."""
