"""Features: one folder each, over the kernel. They do not import each other."""
