"""The log: events, their order, clocks and hashes, and the fold over them."""
